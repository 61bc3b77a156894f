//! Children that die with us, however we die.
//!
//! ```text
//! our program ── keeper ─┬─ guard ── child ── …
//!                        └─ guard ── child ── …
//! ```
//!
//! The keeper is forked from us with the first child and forks guards. A guard looks after one
//! child at a time. It is the nearest parent of everything that comes of its child: daemons that
//! leave their session and their parent become the guard's own children. It holds one end of a
//! socket; when the other end is closed, by us or by our death, it kills all of them. When nothing
//! of a child is left, its guard is there for the next one, so that a start costs a message and
//! what the system itself takes to start a program.

mod act;
mod charge;
mod child;
mod confine;
mod control;
mod guard;
mod guards;
mod message;
mod parcel;
mod plan;
mod shed;
mod sys;
mod zygote;

use std::{
    io::{self, IoSlice},
    mem::MaybeUninit,
    os::fd::{BorrowedFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    net::{
        AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, SocketFlags,
        SocketType, sendmsg, shutdown, socketpair,
    },
    process::{Pid, PidfdFlags, Signal, WaitOptions, kill_process, pidfd_open, waitpid},
};

pub(crate) use self::{
    act::Act,
    child::RESOURCES,
    control::{Control, Heard},
    guards::Guards,
    message::Message,
    plan::{Arg, Plan, Tenure},
};

/// How long the end of the keeper is waited for.
const PATIENCE: Timespec = Timespec { tv_sec: 2, tv_nsec: 0 };

/// The process that forks guards.
#[derive(Debug)]
struct Keeper {
    socket: OwnedFd,
    process: Pid,
}

impl Keeper {
    /// Forks the keeper.
    fn start() -> io::Result<Self> {
        let (socket, theirs) = pair()?;
        // No signal may run a handler of ours in the other process before it has settled.
        let before = sys::block_signals();
        let forked = match sys::fork() {
            Ok(sys::Fork::Child) => zygote::run(&theirs),
            Ok(sys::Fork::Parent(process)) => Ok(Self { socket, process }),
            Err(error) => Err(error.into()),
        };
        sys::restore_signals(&before);
        forked
    }

    /// Lets a guard be forked that listens at this end of a socket.
    fn fork_guard(&self, control: BorrowedFd<'_>) -> io::Result<()> {
        let files = [control];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&files));
        sendmsg(&self.socket, &[IoSlice::new(b"G")], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // It ends by itself when nothing is left, be it of guards that somebody has killed.
        shutdown(&self.socket, Shutdown::Both).ok();
        if let Ok(process) = pidfd_open(self.process, PidfdFlags::empty()) {
            poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&PATIENCE)).ok();
        }
        kill_process(self.process, Signal::KILL).ok();
        waitpid(Some(self.process), WaitOptions::empty()).ok();
    }
}

/// Makes a pair of sockets that keep messages apart.
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let kind = (AddressFamily::UNIX, SocketType::SEQPACKET);
    Ok(socketpair(kind.0, kind.1, SocketFlags::CLOEXEC, None)?)
}

/// Tells whether an error means that the other end of a socket is closed.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}
