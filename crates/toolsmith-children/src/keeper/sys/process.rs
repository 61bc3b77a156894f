//! Processes: how they begin, become a program, end and are found to have ended.

use std::{
    ffi::{CStr, c_char, c_int, c_ulong, c_void},
    mem,
};

use rustix::{
    event::{Timespec, poll},
    io::{Errno, Result},
    process::Pid,
};

use super::{last_error, memory::Stack};
use crate::keeper::plan::View;

/// The file that names the children of whoever reads it.
pub(in crate::keeper) const CHILDREN: &CStr = c"/proc/thread-self/children";

/// Which of the two processes goes on.
#[derive(Debug)]
pub(in crate::keeper) enum Fork {
    Parent(Pid),
    Child,
}

/// Forks; of the other threads the child has nothing but their memory.
///
/// What the child does from here on must not allocate, lock or panic: another thread may have held
/// any lock at this moment. Everything in this folder that runs in a child keeps to that.
pub(in crate::keeper) fn fork() -> Result<Fork> {
    // SAFETY: the call itself has no conditions; those of the child are above.
    parted(unsafe { libc::fork() })
}

/// Forks from a process of one thread into new namespaces.
pub(in crate::keeper) fn fork_into(flags: u64) -> Result<Fork> {
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
pub(in crate::keeper) fn quit(code: c_int) -> ! {
    // SAFETY: the call has no conditions.
    unsafe { libc::_exit(code) }
}

/// Replaces this process by a program; returns only if that fails.
pub(in crate::keeper) fn execute(view: View<'_>) -> Errno {
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
pub(in crate::keeper) fn fork_sharing<T>(
    stack: &mut Stack,
    act: fn(&T) -> !,
    on: &T,
) -> Result<Pid> {
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
pub(in crate::keeper) fn rest(milliseconds: i64) {
    // Signals are blocked where this is used, and a shorter rest does no harm.
    poll(&mut [], Some(&Timespec { tv_sec: 0, tv_nsec: milliseconds * 1_000_000 })).ok();
}

/// How a child ended that still waits to be reaped.
#[derive(Clone, Copy, Debug)]
pub(in crate::keeper) struct Ended {
    pub(in crate::keeper) pid: Pid,
    pub(in crate::keeper) code: c_int,
    pub(in crate::keeper) signal: c_int,
}

/// Finds a child that has ended, without reaping it; an error means that there are no children.
pub(in crate::keeper) fn peek() -> Result<Option<Ended>> {
    look(libc::WNOHANG)
}

/// Waits until a child has ended, without reaping it.
pub(in crate::keeper) fn await_end() -> Result<Ended> {
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
