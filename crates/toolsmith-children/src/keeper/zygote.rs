//! The process that forks guards; it is forked from ours once.
//!
//! Forking from this small process with a single thread is cheap and touches nothing of ours,
//! however large we grow and however many threads we run. Whatever loses its guard falls to it.

use std::{
    io::IoSliceMut,
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{Mode, OFlags, open},
    io::Errno,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::{
        DumpableBehavior, WaitOptions, chdir, getpid, set_child_subreaper, set_dumpable_behavior,
        setsid, wait,
    },
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
    thread::set_name,
};

use super::{
    charge, guard, shed,
    sys::{self, Fork},
};

/// How often it is looked whether the guards have ended everything, before they are ended too.
///
/// On a busy machine that is about a second, and two seconds are promised.
const LOOKS: u32 = 400;

/// How many milliseconds lie between two looks.
const PAUSE: i64 = 1;

/// Forks guards until nobody can ask for one any more.
///
/// All signals are blocked when this begins and stay so: it ends with our program, not before.
pub(super) fn run(socket: &OwnedFd) -> ! {
    settle(socket);
    while let Some(control) = receive(socket) {
        // A guard that cannot be forked is missed by whoever holds the other end of its socket.
        if let Ok(Fork::Child) = sys::fork_into(0) {
            sys::close(socket.as_fd());
            guard::run(control)
        }
    }
    follow()
}

/// Leaves behind what belongs to our program: its files, signals, terminal, folder and memory.
fn settle(socket: &OwnedFd) {
    // A failure below leaves something of ours that does no harm there.
    setsid().ok();
    sys::reset_signals();
    sys::ignore_children();
    set_child_subreaper(Some(getpid())).ok();
    if let Ok(nothing) = open(c"/dev/null", OFlags::RDWR, Mode::empty()) {
        dup2_stdin(&nothing).ok();
        dup2_stdout(&nothing).ok();
        dup2_stderr(&nothing).ok();
    }
    sys::close_all_but(&[socket.as_fd()]);
    chdir(c"/").ok();
    set_name(c"toolsmith-keep").ok();
    shed::memory();
    // What children are given goes through guards, one after the other: no child may look into one.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).ok();
}

/// Sees to it that no guard stays that hangs in a child's beginning, nor what a lost guard left.
fn follow() -> ! {
    for _ in 0..LOOKS {
        end_if_alone();
        sys::rest(PAUSE);
    }
    loop {
        charge::kill_children();
        sys::rest(PAUSE);
        end_if_alone();
    }
}

fn end_if_alone() {
    // The kernel reaps the children of this process; what is asked here is whether there are any.
    if matches!(wait(WaitOptions::NOHANG), Err(Errno::CHILD)) {
        sys::quit(0)
    }
}

/// Receives the socket of a guard to be; nothing when our program is gone.
fn receive(socket: &OwnedFd) -> Option<OwnedFd> {
    loop {
        let mut word = [0; 8];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut word)];
        match recvmsg(socket, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => continue,
            Err(_) => return None,
            Ok(received) if received.bytes == 0 => return None,
            Ok(_) => {}
        }
        // An order that lost its file on the way, for want of room, is as good as none: whoever
        // sent it finds its end of the socket closed.
        let control = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next(),
            _ => None,
        });
        if control.is_some() {
            return control;
        }
    }
}
