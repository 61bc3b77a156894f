//! One child that is being ended, with everything that came of it.

use std::{
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::{
    keeper::{Control, Heard, Message},
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

/// Whether a child is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Watched,
    /// Its guard has nothing more to report.
    Parted,
}

/// What a child leaves that is to be ended.
#[derive(Debug)]
pub(crate) struct Remains {
    pub(crate) control: Control,
    pub(crate) has_exited: bool,
    pub(crate) mark: String,
    /// Second ends of what it writes to. Without them its last words, when it is asked to end and
    /// nobody listens any more, would kill it before it has tidied up.
    pub(crate) _pipes: Option<[OwnedFd; 2]>,
}

/// A child that is being ended.
#[derive(Debug)]
pub(crate) struct Ward {
    remains: Remains,
    has_guard: bool,
    tree: Tree,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    /// It was asked to end.
    Asked { until: Instant },
    /// It is being killed.
    Killed { round: u32, next: Instant },
}

impl Ward {
    /// Begins to end a child and what came of it.
    pub(crate) fn end(remains: Remains, now: Instant) -> Self {
        let phase = Phase::Asked { until: now + GRACE };
        let mut ward = Self { remains, has_guard: true, tree: Tree::default(), phase };
        ward.listen();
        if !ward.has_exited() {
            ward.tree.look(&ward.quarry());
            ward.tree.signal(Signal::TERM);
        }
        if ward.tree.is_empty() {
            // It has ended, or has hardly begun: there is nobody who would tidy up.
            ward.phase = Phase::Killed { round: 0, next: now };
        }
        ward
    }

    pub(crate) fn control(&self) -> &Control {
        &self.remains.control
    }

    pub(crate) fn into_control(self) -> Control {
        self.remains.control
    }

    /// Tells whether there is anything to wait for: the child's end is heard only once.
    pub(crate) fn has_exited(&self) -> bool {
        self.remains.has_exited || !self.has_guard
    }

    /// Returns when something has to be done about it.
    pub(crate) fn due(&self) -> Instant {
        match self.phase {
            Phase::Asked { until } => until,
            Phase::Killed { next, .. } => next,
        }
    }

    /// Hears whether the child has ended, after which there is nothing to be waited for.
    pub(crate) fn heed(&mut self, now: Instant) -> Fate {
        self.listen();
        if self.has_exited() { self.kill(now) } else { Fate::Watched }
    }

    /// Kills what is left of the tree; leaves the rest to the guard when nothing is.
    pub(crate) fn kill(&mut self, now: Instant) -> Fate {
        let round = match self.phase {
            Phase::Asked { .. } => 0,
            Phase::Killed { round, .. } => round + 1,
        };
        self.tree.look(&self.quarry());
        self.tree.signal(Signal::KILL);
        let is_begun = self.remains.control.guard().is_some();
        // Processes of other users cannot be ended, and are not worth a zombie.
        if !is_begun || self.has_exited() && (self.tree.is_empty() || round >= ROUNDS) {
            self.remains.control.end();
            return Fate::Parted;
        }
        let next = now + if round < ROUNDS { SOON } else { SELDOM };
        self.phase = Phase::Killed { round, next };
        Fate::Watched
    }

    fn listen(&mut self) {
        loop {
            match self.remains.control.hear() {
                Heard::Message(Message::Exited { .. } | Message::Failed { .. }) => {
                    self.remains.has_exited = true;
                }
                Heard::Message(_) => {}
                Heard::Nothing => return,
                Heard::End => {
                    self.has_guard = false;
                    return;
                }
            }
        }
    }

    fn quarry(&self) -> Quarry {
        match self.remains.control.guard().filter(|_| self.has_guard) {
            Some(guard) => Quarry::Under { guard: guard.as_raw_nonzero().get() },
            None => Quarry::Marked { prefix: self.remains.mark.clone() },
        }
    }
}
