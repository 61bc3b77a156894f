//! The system calls that have no safe form: processes, signals, memory and the program itself.

#![expect(
    unsafe_code,
    reason = "a process that outlives ours has to be forked, and the standard library cannot fork"
)]

mod confine;
mod memory;
mod signals;

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void},
    io, mem,
    os::fd::{AsRawFd, BorrowedFd},
};

use rustix::{
    event::{Timespec, poll},
    io::{Errno, Result},
    process::Pid,
};
use tokio::io::{Interest, unix::AsyncFd};

use super::{control::Control, plan::View};

pub(super) use self::{
    confine::{Below, drop_bounding_set, filter, keep_to, seal, switch_loopback_on},
    memory::{Mapping, Stack, bytes_of, empty, open, place_of_error_number},
    signals::{
        alarm, block_signals, heed_alarm, heed_children, ignore_children, reset_signals,
        restore_signals, unblock_signals, watch_children,
    },
};

/// The flag of the kernel that says when to close; it has another type in every C library.
const CLOSE_RANGE_CLOEXEC: c_int = 4;

/// The file that names the children of whoever reads it.
pub(super) const CHILDREN: &CStr = c"/proc/thread-self/children";

/// Which of the two processes goes on.
#[derive(Debug)]
pub(super) enum Fork {
    Parent(Pid),
    Child,
}

/// Forks; of the other threads the child has nothing but their memory.
///
/// What the child does from here on must not allocate, lock or panic: another thread may have held
/// any lock at this moment. Everything in this folder that runs in a child keeps to that.
pub(super) fn fork() -> Result<Fork> {
    // SAFETY: the call itself has no conditions; those of the child are above.
    parted(unsafe { libc::fork() })
}

/// Forks from a process of one thread into new namespaces.
pub(super) fn fork_into(flags: u64) -> Result<Fork> {
    let flags = c_ulong::try_from(flags).unwrap_or_default() | libc::SIGCHLD as c_ulong;
    // SAFETY: without a new stack and without shared memory this is a fork. The child uses nothing
    // that the C library keeps for each thread but its error number.
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    parted(c_int::try_from(pid).unwrap_or(-1))
}

fn parted(pid: c_int) -> Result<Fork> {
    match pid {
        -1 => Err(last_error()),
        0 => Ok(Fork::Child),
        pid => Ok(Pid::from_raw(pid).map_or(Fork::Child, Fork::Parent)),
    }
}

/// Ends this process at once; nothing of what our program does at its end is done.
pub(super) fn quit(code: c_int) -> ! {
    // SAFETY: the call has no conditions.
    unsafe { libc::_exit(code) }
}

/// Replaces this process by a program; returns only if that fails.
pub(super) fn execute(view: View<'_>) -> Errno {
    let (words, (args, env)) = (view.words.as_ptr(), (view.args_at(), view.env_at()));
    if args.max(env) >= view.words.len() {
        return Errno::INVAL;
    }
    // SAFETY: both lists lie within the words, end with a zero and hold addresses of texts within
    // the plan, which `open` has put there; a word is as large as an address.
    unsafe {
        let (args, env) = (words.add(args), words.add(env));
        libc::execve(
            view.program().as_ptr(),
            args.cast::<*const c_char>(),
            env.cast::<*const c_char>(),
        );
    }
    last_error()
}

/// What a child that borrows our memory is called with.
struct Visit<'a, T> {
    act: fn(&T) -> !,
    on: &'a T,
}

/// Starts a child that uses our memory, and waits until it has become a program or has ended.
///
/// Nothing is copied, so this costs the same however large we are.
pub(super) fn fork_sharing<T>(stack: &mut Stack, act: fn(&T) -> !, on: &T) -> Result<Pid> {
    extern "C" fn enter<T>(visit: *mut c_void) -> c_int {
        // SAFETY: the caller waits within the call below, so that what it passed is still there.
        let visit = unsafe { &*visit.cast::<Visit<'_, T>>() };
        (visit.act)(visit.on)
    }
    let (mut visit, flags) =
        (Visit { act, on }, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD);
    // SAFETY: the stack is used by one child at a time, since this process waits and has no other
    // thread. The child ends or becomes a program: it never returns into a frame of ours.
    let pid = unsafe { libc::clone(enter::<T>, stack.top(), flags, (&raw mut visit).cast()) };
    if pid < 0 {
        return Err(last_error());
    }
    Pid::from_raw(pid).ok_or(Errno::INVAL)
}

/// Does nothing for some milliseconds.
pub(super) fn rest(milliseconds: i64) {
    // Signals are blocked where this is used, and a shorter rest does no harm.
    poll(&mut [], Some(&Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 })).ok();
}

/// Lets a runtime tell when something can be heard at a socket.
pub(super) fn watch(control: Control) -> io::Result<AsyncFd<Control>> {
    // SAFETY: a control owns its socket and never exchanges it for another one.
    Ok(unsafe { AsyncFd::register_with_interest(control, Interest::READABLE)? })
}

/// Closes a file whose owner never comes back to it.
pub(super) fn close(file: BorrowedFd<'_>) {
    let number = c_uint::try_from(file.as_raw_fd()).unwrap_or(c_uint::MAX);
    close_range(number, number, 0);
}

/// How a child ended that still waits to be reaped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) pid: Pid,
    pub(super) code: c_int,
    pub(super) signal: c_int,
}

/// Finds a child that has ended, without reaping it; an error means that there are no children.
pub(super) fn peek() -> Result<Option<Ended>> {
    look(libc::WNOHANG)
}

/// Waits until a child has ended, without reaping it.
pub(super) fn await_end() -> Result<Ended> {
    look(0)?.ok_or(Errno::INTR)
}

fn look(patience: c_int) -> Result<Option<Ended>> {
    let options = libc::WEXITED | libc::WNOWAIT | patience;
    // SAFETY: the kernel fills the structure in; the fields read are those of an ended child.
    let (found, pid, status, reason) = unsafe {
        let mut ended: libc::siginfo_t = mem::zeroed();
        let found = libc::waitid(libc::P_ALL, 0, &raw mut ended, options);
        (found, ended.si_pid(), ended.si_status(), ended.si_code)
    };
    if found != 0 {
        return Err(last_error());
    }
    let has_exited = reason == libc::CLD_EXITED;
    let (code, signal) = if has_exited { (status, 0) } else { (0, status) };
    Ok(Pid::from_raw(pid).map(|pid| Ended { pid, code, signal }))
}

/// Closes every open file but the three that have a name and those kept.
///
/// The files kept must be in ascending order.
pub(super) fn close_all_but(kept: &[BorrowedFd<'_>]) {
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
pub(super) fn close_at_execution() {
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
pub(super) fn close_stdio() {
    close_range(0, 2, 0);
}

fn checked(done: libc::c_long) -> Result<()> {
    if done < 0 { Err(last_error()) } else { Ok(()) }
}

fn last_error() -> Errno {
    // SAFETY: the place of the error number is always there.
    Errno::from_raw_os_error(unsafe { *libc::__errno_location() })
}
