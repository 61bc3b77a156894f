//! One child under watch, from its birth until it is reaped.

use std::{
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::sync::oneshot;

use crate::{
    Exit,
    keeper::{Control, Message},
    tree::{Quarry, Tree},
};

/// How long a tree may take to end after it was asked to.
const GRACE: Duration = Duration::from_millis(500);

/// How soon after a kill it is looked whether anything of the tree lives.
const SOON: Duration = Duration::from_millis(10);

/// How often killing is repeated in quick succession: forks may slip between look and signal.
const ROUNDS: u32 = 100;

/// How often it is repeated afterwards, for processes that hang in the kernel.
const SELDOM: Duration = Duration::from_secs(1);

/// How the holder of a child takes leave of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// It has ended and nobody holds its pipes: only its group is ended.
    Quiet,
    /// Whatever came of it is looked for and ended.
    Thorough,
}

/// Whether a child is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Watched,
    /// Its guard has nothing more to report.
    Parted,
}

pub(crate) struct Ward {
    pub(crate) leader: Pid,
    pub(crate) control: Control,
    pub(crate) quarry: Quarry,
    pub(crate) tell: Option<oneshot::Sender<Exit>>,
    pub(crate) phase: Phase,
    /// Second ends of what it writes to. Without them its last words, when it is asked to end and
    /// nobody listens any more, would kill it before it has tidied up.
    pub(crate) _pipes: [OwnedFd; 2],
}

pub(crate) enum Phase {
    /// Somebody holds it.
    Held,
    /// It was asked to end.
    Asked { tree: Tree, until: Instant },
    /// It is being killed.
    Killed { tree: Tree, round: u32, next: Instant },
}

impl Ward {
    /// Tells whether the child itself has ended; its number is kept for it until it is reaped.
    pub(crate) fn has_exited(&self) -> bool {
        self.tell.is_none()
    }

    /// Returns when something has to be done about it, if time alone brings that about.
    pub(crate) fn due(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Held => None,
            Phase::Asked { until, .. } => Some(*until),
            Phase::Killed { next, .. } => Some(*next),
        }
    }

    /// Tells the holder how the child ended.
    pub(crate) fn note_exit(&mut self, now: Instant) -> Fate {
        let exit = self.exit();
        if let Some(tell) = self.tell.take() {
            // A holder that has gone does not want to know.
            tell.send(exit).ok();
        }
        match self.phase {
            Phase::Held => Fate::Watched,
            Phase::Asked { .. } | Phase::Killed { .. } => self.kill(now),
        }
    }

    /// Begins to end the child and what came of it.
    pub(crate) fn end(&mut self, farewell: Farewell, now: Instant) -> Fate {
        if !matches!(self.phase, Phase::Held) {
            return Fate::Watched;
        }
        match (self.has_exited(), farewell) {
            (true, Farewell::Quiet) => {
                // An empty group is the usual case.
                kill_process_group(self.leader, Signal::KILL).ok();
                self.control.release();
                Fate::Parted
            }
            (true, Farewell::Thorough) => self.kill(now),
            (false, _) => {
                let mut tree = Tree::default();
                tree.look(&self.quarry);
                tree.signal(Signal::TERM);
                self.phase = Phase::Asked { tree, until: now + GRACE };
                Fate::Watched
            }
        }
    }

    /// Kills what is left of the tree; leaves the child to its guard when nothing is.
    pub(crate) fn kill(&mut self, now: Instant) -> Fate {
        let (mut tree, round) = match std::mem::replace(&mut self.phase, Phase::Held) {
            Phase::Held => (Tree::default(), 0),
            Phase::Asked { tree, .. } => (tree, 0),
            Phase::Killed { tree, round, .. } => (tree, round + 1),
        };
        tree.look(&self.quarry);
        tree.signal(Signal::KILL);
        // Processes of other users cannot be ended, and are not worth a zombie.
        if self.has_exited() && (tree.is_empty() || round >= ROUNDS) {
            self.control.end();
            return Fate::Parted;
        }
        let next = now + if round < ROUNDS { SOON } else { SELDOM };
        self.phase = Phase::Killed { tree, round, next };
        Fate::Watched
    }

    /// Hears how the child ended; its number is kept for it until the guard is told.
    fn exit(&self) -> Exit {
        match self.control.take() {
            Some(Message::Exited { code, signal }) => Exit::of(code, signal),
            _ => Exit::Unseen,
        }
    }
}
