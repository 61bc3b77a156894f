//! Calls that confine the process that makes them.

use std::{
    ffi::{CStr, c_char, c_ulong},
    mem,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

use rustix::io::{Errno, Result};

use super::{checked, last_error};
use crate::keeper::plan::View;

/// Keeps this process to rules for files; there is no way back.
pub(in crate::keeper) fn keep_to(rules: BorrowedFd<'_>) -> Result<()> {
    // SAFETY: the call takes an open file and no memory.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) };
    checked(done)
}

/// Lets only those system calls pass that a filter in the plan lets pass; there is no way back.
pub(in crate::keeper) fn filter(view: View<'_>, start: u64, count: usize) -> Result<()> {
    let size = count.saturating_mul(size_of::<libc::sock_filter>());
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let code = start.checked_add(size).and_then(|end| view.bytes.get(start..end));
    let code = code.ok_or(Errno::INVAL)?;
    let length = u16::try_from(count).map_err(|_| Errno::INVAL)?;
    let program = libc::sock_fprog { len: length, filter: code.as_ptr().cast_mut().cast() };
    // SAFETY: the program lies within the plan, is as long as it says and begins at a word; the
    // kernel copies and checks it.
    let done = unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program)
    };
    checked(done)
}

/// Whether mounts below a mount are meant too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::keeper) enum Below {
    Too,
    No,
}

/// Adds attributes to a mount.
pub(in crate::keeper) fn seal(path: &CStr, attributes: u64, below: Below) -> Result<()> {
    let attributes =
        libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let flags = if below == Below::Too { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: path and attributes live until the call returns, and the size is that of the latter.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(done)
}

/// Gives up the capabilities that a program could bring along, but for those kept.
pub(in crate::keeper) fn drop_bounding_set(kept: u64) -> Result<()> {
    let all: std::ops::Range<c_ulong> = 0..64;
    for capability in all.filter(|capability| kept & (1 << capability) == 0) {
        // SAFETY: the call takes numbers only.
        let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
        if done != 0 {
            // The first number that the kernel does not know ends the list.
            return if last_error() == Errno::INVAL { Ok(()) } else { Err(last_error()) };
        }
    }
    Ok(())
}

/// Switches the loopback of a new network on.
pub(in crate::keeper) fn switch_loopback_on() -> Result<()> {
    // SAFETY: the request names the device by a short text that ends with a zero, and holds flags;
    // the socket is closed when it is dropped.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(last_error());
        }
        let socket = OwnedFd::from_raw_fd(socket);
        let mut request: libc::ifreq = mem::zeroed();
        for (place, byte) in request.ifr_name.iter_mut().zip(b"lo") {
            *place = byte.cast_signed() as c_char;
        }
        let flags = libc::IFF_UP | libc::IFF_RUNNING;
        request.ifr_ifru.ifru_flags = i16::try_from(flags).unwrap_or_default();
        checked(libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request).into())
    }
}
