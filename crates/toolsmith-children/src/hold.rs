//! The tie to a child: what its guard says of it, and how it is let go.

use std::{io, os::fd::OwnedFd};

use rustix::process::Signal;
use tokio::io::unix::AsyncFd;

use crate::{
    ChildError, Children, Exit,
    keeper::{Control, Heard, Message},
    sandbox,
    setup::Setup,
    tree::{Quarry, Tree},
    ward::Remains,
};

/// How the holder of a child takes leave of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// It has ended and nobody holds its pipes: only its group is ended.
    Quiet,
    /// Whatever came of it is looked for and ended.
    Thorough,
}

/// What is heard of a child.
#[derive(Debug)]
pub(crate) enum News {
    /// Its program runs; its number.
    Started(u32),
    /// A socket inside its sandbox, and the hosts that it is for.
    Listening(OwnedFd, Vec<String>),
    /// A socket of its own network.
    Door(OwnedFd),
    Exited(Exit),
}

/// Keeps a child alive; letting go of it ends the child.
pub(crate) struct Hold {
    /// Gone when the child was let go.
    control: Option<AsyncFd<Control>>,
    setup: Setup,
    /// What the program inside a sandbox of its own said about its end.
    within: Option<Exit>,
    exit: Option<Exit>,
    spare: Option<[OwnedFd; 2]>,
    /// Keeps those who watch over it.
    children: Children,
}

impl Hold {
    pub(crate) fn new(
        children: Children,
        control: Control,
        setup: Setup,
        spare: [OwnedFd; 2],
    ) -> io::Result<Self> {
        let control = Some(control.watch()?);
        Ok(Self { control, setup, within: None, exit: None, spare: Some(spare), children })
    }

    /// Waits for the next thing to be heard; the end is heard again and again.
    pub(crate) async fn news(&mut self) -> Result<News, ChildError> {
        loop {
            let (None, Some(control)) = (self.exit, &mut self.control) else {
                return Ok(News::Exited(self.exit.unwrap_or(Exit::Unseen)));
            };
            let mut ready = control.readable_mut().await?;
            let heard = ready.try_io(|control| match control.get_mut().hear() {
                Heard::Message(message) => Ok(Some(message)),
                Heard::Nothing => Err(io::ErrorKind::WouldBlock.into()),
                Heard::End => Ok(None),
            });
            let Ok(heard) = heard else { continue };
            if let Some(news) = self.understand(heard?)? {
                return Ok(news);
            }
        }
    }

    fn understand(&mut self, message: Option<Message>) -> Result<Option<News>, ChildError> {
        let exit = match message {
            Some(Message::Ready { .. } | Message::Idle) => return Ok(None),
            Some(Message::Started { child }) => {
                return Ok(Some(News::Started(child.cast_unsigned())));
            }
            Some(Message::Listening(socket)) => {
                let hosts = std::mem::take(&mut self.setup.hosts);
                return Ok(Some(News::Listening(socket, hosts)));
            }
            Some(Message::Door(socket)) => return Ok(Some(News::Door(socket))),
            Some(Message::Ended { code, signal }) => {
                // Its guard removes the groups, and what they count, soon after.
                let exit = Exit::of(code, signal);
                self.within = Some(exit.explained(|| self.setup.groups.had_memory_kill()));
                return Ok(None);
            }
            Some(Message::Failed { step, error }) => {
                self.exit = Some(Exit::Unseen);
                return Err(match sandbox::lack(&self.setup.plan, step) {
                    Some(lack) => ChildError::Sandbox { lack, source: error.into() },
                    None => self.refused(error.into()),
                });
            }
            Some(Message::Exited { code, signal, .. }) => {
                let exit = self.within.unwrap_or(Exit::of(code, signal));
                exit.explained(|| self.setup.groups.had_memory_kill())
            }
            None => Exit::Unseen,
        };
        self.exit = Some(exit);
        Ok(Some(News::Exited(exit)))
    }

    /// Asks everything that came of the child to end.
    pub(crate) fn ask_to_end(&self) {
        let guard = self.control.as_ref().and_then(|control| control.get_ref().guard());
        if let Some(guard) = guard.filter(|_| self.exit != Some(Exit::Unseen)) {
            let mut tree = Tree::default();
            tree.look(&Quarry::Under { guard: guard.as_raw_nonzero().get() });
            tree.signal(Signal::TERM);
        }
    }

    /// Says that the program was not started.
    pub(crate) fn refused(&self, source: io::Error) -> ChildError {
        ChildError::Start { program: self.setup.program.clone(), source }
    }

    /// Lets go of the child.
    pub(crate) fn part(&mut self, farewell: Farewell) {
        let Some(control) = self.control.take() else { return };
        let control = control.into_inner();
        let has_ended = self.exit.is_some_and(|exit| exit != Exit::Unseen);
        if control.is_idle() {
            self.children.guards().lock().take_back(control);
        } else if has_ended && farewell == Farewell::Quiet {
            control.release();
            self.children.guards().lock().take_back(control);
        } else {
            let (mark, pipes) = (std::mem::take(&mut self.setup.mark), self.spare.take());
            self.children.end(Remains {
                control,
                has_exited: self.exit.is_some(),
                mark,
                _pipes: pipes,
            });
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.part(Farewell::Thorough);
    }
}
