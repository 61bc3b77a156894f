//! Long calls as tasks: the client is answered at once, and asks later what came of them.
//!
//! A task is a call of the table that `?async=true` uses, by the same identifier, place and bounds;
//! here is only what the protocol tells besides: when it was made, what it asks, how far it is. From
//! 2026-07-28 on the server makes tasks, of calls that take long; in 2025-11-25 the client wishes so.

mod answers;
mod driving;
mod standing;

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{sync::watch, time::Instant};
use toolsmith_core::{CallId, Text, Timestamp, Value};

pub(crate) use self::{
    answers::{cancel, get, list, made, result, update},
    driving::drive,
};
use super::{
    asking::{Asking, Posed},
    following::Answering,
    refusal::Refusal,
};
use crate::{Visitor, underway::KEPT_FOR};

/// The name of the extension.
pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// How often a client should ask.
const POLL: Duration = Duration::from_millis(500);

/// The tasks that somebody may ask for.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<HashMap<CallId, Arc<Task>>>);

/// A call that its client asks for later.
#[derive(Debug)]
pub(crate) struct Task {
    /// The identifier of the call.
    pub(crate) id: CallId,
    /// Whose it is.
    owner: Text,
    created: Timestamp,
    begun: Instant,
    /// How its result is written.
    answering: Answering,
    asking: Arc<Asking>,
    state: Mutex<State>,
    /// Becomes true at the end.
    ended: watch::Sender<bool>,
}

#[derive(Debug)]
struct State {
    updated: Timestamp,
    /// How far it is.
    message: Option<String>,
    /// What it asks.
    open: Vec<Posed>,
    ended_at: Option<Instant>,
    /// Why it came to no outcome.
    broken: Option<Refusal>,
}

impl Tasks {
    /// Finds a task that a visitor may see.
    fn find(&self, visitor: &Visitor, id: &str) -> Option<Arc<Task>> {
        let task = self.0.lock().get(&id.parse().ok()?).map(Arc::clone)?;
        visitor.may_see(Some(&task.owner)).then_some(task)
    }

    fn add(&self, task: Arc<Task>) {
        self.0.lock().insert(task.id, task);
    }

    /// Returns the tasks of a caller, the oldest first, behind one.
    fn of(&self, owner: &Text, behind: Option<CallId>) -> Vec<Arc<Task>> {
        let tasks = self.0.lock();
        let own = tasks
            .values()
            .filter(|task| task.owner == *owner && behind.is_none_or(|behind| task.id > behind));
        let mut own: Vec<_> = own.map(Arc::clone).collect();
        own.sort_unstable_by_key(|task| task.id);
        own
    }

    /// Forgets the tasks whose outcome is no longer kept.
    pub(crate) fn sweep(&self) {
        let mut tasks = self.0.lock();
        tasks.retain(|_, task| !task.is_forgotten());
        if tasks.capacity() > 4 * tasks.len() + 64 {
            tasks.shrink_to_fit();
        }
    }
}

impl Task {
    fn new(
        (id, owner): (CallId, Text),
        now: Timestamp,
        answering: Answering,
        asking: Arc<Asking>,
    ) -> Self {
        let state =
            State { updated: now, message: None, open: Vec::new(), ended_at: None, broken: None };
        Self {
            id,
            owner,
            created: now,
            begun: Instant::now(),
            answering,
            asking,
            state: Mutex::new(state),
            ended: watch::Sender::new(false),
        }
    }

    fn change(&self, now: Timestamp, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        state.updated = now;
        change(&mut state);
    }

    /// Says that nothing more happens; why, when there is no outcome.
    fn end(&self, now: Timestamp, broken: Option<Refusal>) {
        self.change(now, |state| {
            state.open.clear();
            state.ended_at = Some(Instant::now());
            state.broken = broken;
        });
        self.ended.send_replace(true);
    }

    /// Waits for the end.
    async fn ended(&self) {
        // The sender is part of the task, so the wait can only end with the value.
        self.ended.subscribe().wait_for(|is_ended| *is_ended).await.ok();
    }

    /// Gives answers to what it asks; those to nothing that it asks are left out.
    fn give(&self, now: Timestamp, mut answers: toolsmith_core::Map<String, Value>) {
        self.change(now, |state| {
            let open = std::mem::take(&mut state.open);
            for posed in open {
                match answers.remove(&posed.name) {
                    // The tool may have stopped waiting.
                    Some(answer) => drop(posed.answer.send(answer)),
                    None => state.open.push(posed),
                }
            }
        });
    }

    /// Returns for how long it can be asked for, from when it was made on.
    fn lifetime(&self) -> Duration {
        let ended_at = self.state.lock().ended_at.unwrap_or_else(Instant::now);
        ended_at.duration_since(self.begun) + KEPT_FOR
    }

    fn is_forgotten(&self) -> bool {
        self.state.lock().ended_at.is_some_and(|ended| ended.elapsed() > KEPT_FOR)
    }
}
