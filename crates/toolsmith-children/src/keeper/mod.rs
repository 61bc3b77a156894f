//! Children that die with us, however we die.
//!
//! ```text
//! our program ── keeper ─┬─ guard ── child ── …
//!                        └─ guard ── child ── …
//! ```
//!
//! The keeper is forked from us with the first child and forks a guard for each. A guard is the
//! nearest parent of everything that comes of its child: daemons that leave their session and their
//! parent become the guard's own children. It holds one end of a socket; when the other end is
//! closed, by us or by our death, it kills all of them.

mod child;
mod confine;
mod guard;
mod message;
mod plan;
mod sys;
mod zygote;

use std::{
    io::{self, IoSlice},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::{
        AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown,
        SocketFlags, SocketType, send, sendmsg, shutdown, socketpair,
    },
    process::{Pid, Signal, WaitOptions, kill_process, waitpid},
};

pub(crate) use self::{
    child::RESOURCES,
    message::Message,
    plan::{Act, Arg, Plan},
};

/// How long a child may take to begin: a folder of a server that is gone can hold it for ever.
const PATIENCE: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };

/// The process that forks guards.
#[derive(Debug)]
pub(crate) struct Keeper {
    socket: OwnedFd,
    process: Pid,
}

impl Keeper {
    /// Forks the keeper; whoever calls this must live as long as the keeper does.
    pub(crate) fn start() -> io::Result<Self> {
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

    /// Lets a child be started; how that went is said through the control.
    pub(crate) fn launch(
        &self,
        plan: &Plan,
        stdio: [BorrowedFd<'_>; 3],
        rules: Option<BorrowedFd<'_>>,
    ) -> io::Result<Control> {
        let (file, length) = plan.write()?;
        let (ours, theirs) = pair()?;
        let files = [theirs.as_fd(), file.as_fd()].into_iter().chain(stdio).chain(rules);
        let files: Vec<BorrowedFd<'_>> = files.collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(zygote::FILES))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&files));
        let length = length.to_ne_bytes();
        sendmsg(&self.socket, &[IoSlice::new(&length)], &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(Control(ours))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // It holds nothing that it would have to put in order, and guards do without it.
        kill_process(self.process, Signal::KILL).ok();
        waitpid(Some(self.process), WaitOptions::empty()).ok();
    }
}

/// Our end of the socket to a guard; letting go of it ends everything that came of the child.
#[derive(Debug)]
pub(crate) struct Control(OwnedFd);

impl Control {
    /// Waits for the next message, but not for ever; nothing when the guard is gone.
    pub(crate) fn wait(&self) -> io::Result<Option<Message>> {
        loop {
            let mut polled = [PollFd::from_borrowed_fd(self.0.as_fd(), PollFlags::IN)];
            if poll(&mut polled, Some(&PATIENCE)) == Ok(0) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            match message::hear(self.0.as_fd(), RecvFlags::empty()) {
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => return Ok(None),
                heard => return Ok(heard?),
            }
        }
    }

    /// Takes the message that has arrived; nothing when there is none and when the guard is gone.
    pub(crate) fn take(&self) -> Option<Message> {
        message::hear(self.0.as_fd(), RecvFlags::DONTWAIT).ok().flatten()
    }

    /// Lets the guard forget the child; it stays with whatever else came of it.
    pub(crate) fn release(&self) {
        // A guard that is gone has forgotten already.
        send(&self.0, &message::RELEASE, SendFlags::NOSIGNAL).ok();
    }

    /// Lets the guard kill whatever is left; it hangs up when that is done.
    pub(crate) fn end(&self) {
        shutdown(&self.0, Shutdown::Write).ok();
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Makes a pair of sockets that keep messages apart.
fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let kind = (AddressFamily::UNIX, SocketType::SEQPACKET);
    Ok(socketpair(kind.0, kind.1, SocketFlags::CLOEXEC, None)?)
}
