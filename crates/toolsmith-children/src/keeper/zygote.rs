//! The process that forks a guard for each child; it is forked from ours once.
//!
//! Forking from this small process with a single thread is cheap and touches nothing of ours,
//! however large we grow and however many threads we run.

use std::{
    io::IoSliceMut,
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{Mode, OFlags, open},
    io::Errno,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::{chdir, setsid},
    stdio::{dup2_stderr, dup2_stdin, dup2_stdout},
    thread::set_name,
};

use super::{
    guard,
    message::{Message, tell},
    sys::{self, Fork},
};

/// How many open files may come with an order.
pub(super) const FILES: usize = 6;

/// An order to start a child, as it arrives.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) length: usize,
    pub(super) control: OwnedFd,
    pub(super) plan: OwnedFd,
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Rules for files, which only some children have.
    pub(super) rules: Option<OwnedFd>,
}

/// Forks guards until nobody can ask for one any more.
///
/// All signals are blocked when this begins and stay so: it ends with our program, not before.
pub(super) fn run(socket: &OwnedFd) -> ! {
    settle(socket);
    loop {
        let Some(parcel) = receive(socket) else { sys::quit(0) };
        match sys::fork_into(0) {
            Ok(Fork::Child) => guard::run(parcel),
            Ok(Fork::Parent(_)) => {}
            Err(error) => tell(parcel.control.as_fd(), &Message::Failed { step: 0, error }),
        }
    }
}

/// Leaves behind what belongs to our program: its files, its signals, its terminal, its folder.
fn settle(socket: &OwnedFd) {
    // A failure below leaves something of ours that does no harm there.
    setsid().ok();
    sys::reset_signals();
    sys::ignore_children();
    if let Ok(nothing) = open(c"/dev/null", OFlags::RDWR, Mode::empty()) {
        dup2_stdin(&nothing).ok();
        dup2_stdout(&nothing).ok();
        dup2_stderr(&nothing).ok();
    }
    sys::close_all_but(&[socket.as_fd()]);
    chdir(c"/").ok();
    set_name(c"toolsmith-keep").ok();
}

/// Receives an order; nothing when our program is gone.
fn receive(socket: &OwnedFd) -> Option<Parcel> {
    loop {
        let mut length = [0; 8];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut into = [IoSliceMut::new(&mut length)];
        match recvmsg(socket, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => continue,
            Err(_) => return None,
            Ok(received) if received.bytes == 0 => return None,
            Ok(_) => {}
        }
        let mut files = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => Some(files),
            _ => None,
        });
        let mut next = || files.as_mut().and_then(Iterator::next);
        let (control, plan) = (next(), next());
        let stdio = (next(), next(), next());
        let rules = next();
        // An order that lost its files on the way, for want of room, is as good as none: whoever
        // sent it finds its end of the control socket closed.
        if let (Some(control), Some(plan), (Some(stdin), Some(stdout), Some(stderr))) =
            (control, plan, stdio)
        {
            let length = usize::from_ne_bytes(length);
            return Some(Parcel { length, control, plan, stdin, stdout, stderr, rules });
        }
    }
}
