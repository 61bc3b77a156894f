//! Open files: which are closed, and which the runtime watches.

use std::{
    ffi::{c_int, c_uint},
    io,
    os::fd::{AsRawFd, BorrowedFd},
};

use tokio::io::{Interest, unix::AsyncFd};

use crate::keeper::control::Control;

/// The flag of the kernel that says when to close; it has another type in every C library.
const CLOSE_RANGE_CLOEXEC: c_int = 4;

/// Lets a runtime tell when something can be heard at a socket.
pub(in crate::keeper) fn watch(control: Control) -> io::Result<AsyncFd<Control>> {
    // SAFETY: a control owns its socket and never exchanges it for another one.
    Ok(unsafe { AsyncFd::register_with_interest(control, Interest::READABLE)? })
}

/// Closes a file whose owner never comes back to it.
pub(in crate::keeper) fn close(file: BorrowedFd<'_>) {
    let number = c_uint::try_from(file.as_raw_fd()).unwrap_or(c_uint::MAX);
    close_range(number, number, 0);
}

/// Closes every open file but the three that have a name and those kept.
///
/// The files kept must be in ascending order.
pub(in crate::keeper) fn close_all_but(kept: &[BorrowedFd<'_>]) {
    let mut first = 3;
    for file in kept {
        let number = c_uint::try_from(file.as_raw_fd()).unwrap_or_default();
        if number > first {
            close_range(first, number - 1, 0);
        }
        first = number + 1;
    }
    close_range(first, c_uint::MAX, 0);
}

/// Lets every open file but the three that have a name be closed when the program begins.
pub(in crate::keeper) fn close_at_execution() {
    close_range(3, c_uint::MAX, CLOSE_RANGE_CLOEXEC);
}

/// A kernel that does not know the call leaves files open that we inherited ourselves, no others.
fn close_range(first: c_uint, last: c_uint, flags: c_int) {
    // SAFETY: nobody in this process uses the files that are closed here any more.
    unsafe {
        libc::syscall(libc::SYS_close_range, first, last, flags);
    }
}

/// Lets go of the pipes of a child.
pub(in crate::keeper) fn close_stdio() {
    close_range(0, 2, 0);
}
