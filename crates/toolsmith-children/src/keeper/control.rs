//! Our end of the socket to a guard.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
};

use rustix::{
    io::Errno,
    net::{RecvFlags, SendFlags, Shutdown, send, shutdown},
    process::Pid,
};
use tokio::io::unix::AsyncFd;

use super::{
    message::{self, Message, Rest},
    parcel,
    plan::Plan,
    sys,
};

/// Our end of the socket to a guard; letting go of it ends everything that came of the child.
#[derive(Debug)]
pub(crate) struct Control {
    socket: OwnedFd,
    /// The number of the guard, once it has said it.
    guard: Option<Pid>,
    is_idle: bool,
}

/// What is heard from a guard at the moment.
#[derive(Debug)]
pub(crate) enum Heard {
    Message(Message),
    Nothing,
    /// The guard is gone.
    End,
}

impl Control {
    /// Takes our end of the socket to a guard that has no child.
    pub(super) fn new(socket: OwnedFd) -> Self {
        Self { socket, guard: None, is_idle: true }
    }

    /// Lets a child be started; how that went is heard later.
    pub(crate) fn start(
        &mut self,
        plan: &Plan,
        stdio: [BorrowedFd<'_>; 3],
        rules: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        parcel::send(self.socket.as_fd(), &plan.write()?, stdio, rules)?;
        self.is_idle = false;
        Ok(())
    }

    /// Lets the runtime tell when there is something to hear.
    pub(crate) fn watch(self) -> io::Result<AsyncFd<Self>> {
        sys::watch(self)
    }

    /// Takes the next message that has arrived.
    pub(crate) fn hear(&mut self) -> Heard {
        loop {
            let message = match message::hear(self.socket.as_fd(), RecvFlags::DONTWAIT) {
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Heard::Nothing,
                Err(_) | Ok(None) => return Heard::End,
                Ok(Some(message)) => message,
            };
            match &message {
                Message::Ready { guard } => self.guard = Pid::from_raw(*guard),
                Message::Idle
                | Message::Failed { .. }
                | Message::Exited { rest: Rest::Nobody, .. } => self.is_idle = true,
                _ => {}
            }
            return Heard::Message(message);
        }
    }

    /// Returns the number of the guard, if it has said it.
    pub(crate) fn guard(&self) -> Option<Pid> {
        self.guard
    }

    /// Tells whether the guard has no child, as far as it was heard.
    pub(crate) fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// Lets the guard kill the group of a child that has ended, and forget the child.
    ///
    /// The guard stays with whatever else came of it.
    pub(crate) fn release(&self) {
        // A guard that is gone has forgotten already.
        send(&self.socket, &message::RELEASE, SendFlags::NOSIGNAL).ok();
    }

    /// Lets the guard kill whatever is left; it hangs up when that is done.
    pub(crate) fn end(&self) {
        shutdown(&self.socket, Shutdown::Write).ok();
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsRawFd for Control {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}
