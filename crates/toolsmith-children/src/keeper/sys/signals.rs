//! Signals: which are blocked, what they mean, and how the ends of children are heard of.

use std::{
    ffi::{c_int, c_uint},
    mem,
    os::fd::{FromRawFd, OwnedFd},
    ptr,
};

use rustix::io::Result;

use super::last_error;

/// The highest number of a signal on every architecture that we run on.
const SIGNALS: c_int = 64;

/// Lets this process be ended by the kernel if it does not call this again in time; 0 forgets it.
pub(in crate::keeper) fn alarm(seconds: c_uint) {
    // SAFETY: the call takes a number only.
    unsafe { libc::alarm(seconds) };
}

/// Lets the alarm through, which ends this process.
pub(in crate::keeper) fn heed_alarm() {
    // SAFETY: as in `block_signals`.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, ptr::null_mut());
    }
}

/// Blocks every signal in this thread; returns what was blocked before.
pub(in crate::keeper) fn block_signals() -> libc::sigset_t {
    // SAFETY: a set of signals is plain memory that the calls fill in.
    unsafe {
        let (mut all, mut before) = (mem::zeroed(), mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        before
    }
}

/// Blocks exactly these signals in this thread.
pub(in crate::keeper) fn restore_signals(blocked: &libc::sigset_t) {
    // SAFETY: the set was filled in by the kernel.
    unsafe {
        libc::pthread_sigmask(libc::SIG_SETMASK, blocked, ptr::null_mut());
    }
}

/// Gives every signal its default meaning; those of our program are not for its children.
pub(in crate::keeper) fn reset_signals() {
    for signal in 1..=SIGNALS {
        set_signal(signal, libc::SIG_DFL);
    }
}

/// Lets the kernel reap the children of this process.
pub(in crate::keeper) fn ignore_children() {
    set_signal(libc::SIGCHLD, libc::SIG_IGN);
}

/// Gives the ends of children their default meaning, so that they can be waited for.
pub(in crate::keeper) fn heed_children() {
    set_signal(libc::SIGCHLD, libc::SIG_DFL);
}

fn set_signal(signal: c_int, meaning: libc::sighandler_t) {
    // SAFETY: no code of ours is installed as a handler.
    unsafe {
        libc::signal(signal, meaning);
    }
}

/// Lets every signal through.
pub(in crate::keeper) fn unblock_signals() {
    // SAFETY: as in `block_signals`.
    unsafe {
        let mut none = mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

/// Opens a file that can be read when a child of this process has ended.
pub(in crate::keeper) fn watch_children() -> Result<OwnedFd> {
    // SAFETY: the set is filled in before it is used; the number returned is a new open file.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        let file = libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK);
        if file < 0 { Err(last_error()) } else { Ok(OwnedFd::from_raw_fd(file)) }
    }
}
