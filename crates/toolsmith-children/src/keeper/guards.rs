//! The guards that have no child at the moment.

use std::{
    collections::VecDeque,
    io,
    os::fd::{AsFd, BorrowedFd},
};

use super::{Control, Heard, Keeper, Plan, is_gone, pair};

/// How many guards wait for a child at most; the others end.
const WAITING: usize = 16;

/// How many guards that were busy are asked again before another one is forked.
const ASKED: usize = 3;

/// How many guards may turn out to be gone before a start fails.
const ATTEMPTS: usize = 5;

/// Guards to be had, and the keeper who forks more of them.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    /// Started with the first child.
    keeper: Option<Keeper>,
    idle: Vec<Control>,
    /// Those that stay with what is left of a child that nobody holds any more.
    busy: VecDeque<Control>,
}

impl Guards {
    /// Lets a child be started by a guard that is idle, be it a new one.
    pub(crate) fn start(
        &mut self,
        plan: &Plan,
        stdio: [BorrowedFd<'_>; 3],
        rules: Option<BorrowedFd<'_>>,
    ) -> io::Result<Control> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut control = self.take()?;
            match control.start(plan, stdio, rules) {
                Ok(()) => return Ok(control),
                Err(error) if is_gone(&error) && attempts < ATTEMPTS => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes back a guard that is idle or will be.
    pub(crate) fn take_back(&mut self, control: Control) {
        if control.is_idle() {
            self.keep(control);
        } else {
            self.busy.push_back(control);
        }
        // One for one, so that those who are done with their child do not pile up.
        if let Some(control) = self.ask() {
            self.keep(control);
        }
    }

    /// Gives away those who stay with what is left of a child; the others end.
    pub(crate) fn disband(&mut self) -> Vec<Control> {
        self.idle.clear();
        self.busy.drain(..).collect()
    }

    fn keep(&mut self, control: Control) {
        if self.idle.len() < WAITING {
            self.idle.push(control);
        }
    }

    fn take(&mut self) -> io::Result<Control> {
        if let Some(control) = self.idle.pop() {
            return Ok(control);
        }
        for _ in 0..ASKED {
            if let Some(control) = self.ask() {
                return Ok(control);
            }
        }
        self.fork_guard()
    }

    /// Asks the next one of the busy ones; returns it if it is idle by now.
    fn ask(&mut self) -> Option<Control> {
        let mut control = self.busy.pop_front()?;
        while !control.is_idle() {
            match control.hear() {
                Heard::Message(_) => {}
                Heard::Nothing => {
                    self.busy.push_back(control);
                    return None;
                }
                Heard::End => return None,
            }
        }
        Some(control)
    }

    /// Asks the keeper; another one takes the place of a keeper that is gone.
    fn fork_guard(&mut self) -> io::Result<Control> {
        let (ours, theirs) = pair()?;
        if let Some(keeper) = &self.keeper {
            match keeper.fork_guard(theirs.as_fd()) {
                Err(error) if is_gone(&error) => {}
                asked => return asked.map(|()| Control::new(ours)),
            }
        }
        let keeper = self.keeper.insert(Keeper::start()?);
        keeper.fork_guard(theirs.as_fd()).map(|()| Control::new(ours))
    }
}
