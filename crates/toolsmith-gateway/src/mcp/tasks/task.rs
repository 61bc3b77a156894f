//! One task: what is told of a call besides its outcome.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{sync::watch, time::Instant};
use toolsmith_core::{CallId, Map, Text, Timestamp, Value};

use crate::{
    mcp::{
        asking::{Asking, Posed},
        following::Answering,
        refusal::Refusal,
    },
    underway::KEPT_FOR,
};

/// A call that its client asks for later.
#[derive(Debug)]
pub(crate) struct Task {
    /// The identifier of the call.
    pub(crate) id: CallId,
    /// Whose it is.
    pub(super) owner: Text,
    pub(super) created: Timestamp,
    begun: Instant,
    /// How its result is written.
    pub(super) answering: Answering,
    pub(super) asking: Arc<Asking>,
    pub(super) state: Mutex<State>,
    /// Becomes true at the end.
    ended: watch::Sender<bool>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) updated: Timestamp,
    /// How far it is.
    pub(super) message: Option<String>,
    /// What it asks.
    pub(super) open: Vec<Posed>,
    pub(super) ended_at: Option<Instant>,
    /// Why it came to no outcome.
    pub(super) broken: Option<Refusal>,
}

impl Task {
    /// Makes a task of a call.
    pub(super) fn new(
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

    /// Changes what is told of it.
    pub(super) fn change(&self, now: Timestamp, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock();
        state.updated = now;
        change(&mut state);
    }

    /// Says that nothing more happens; why, when there is no outcome.
    pub(super) fn end(&self, now: Timestamp, broken: Option<Refusal>) {
        self.change(now, |state| {
            state.open.clear();
            state.ended_at = Some(Instant::now());
            state.broken = broken;
        });
        self.ended.send_replace(true);
    }

    /// Waits for the end.
    pub(super) async fn ended(&self) {
        // The sender is part of the task, so the wait can only end with the value.
        self.ended.subscribe().wait_for(|is_ended| *is_ended).await.ok();
    }

    /// Gives answers to what it asks; those to nothing that it asks are left out.
    pub(super) fn give(&self, now: Timestamp, mut answers: Map<String, Value>) {
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
    pub(super) fn lifetime(&self) -> Duration {
        let ended_at = self.state.lock().ended_at.unwrap_or_else(Instant::now);
        ended_at.duration_since(self.begun) + KEPT_FOR
    }

    /// Tells whether what came of it is no longer kept.
    pub(super) fn is_forgotten(&self) -> bool {
        self.state.lock().ended_at.is_some_and(|ended| ended.elapsed() > KEPT_FOR)
    }
}
