//! Idempotency keys: the same key and input run once within a window.

use std::{
    collections::{HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;
use toolsmith_core::{CallId, ErrorKind, ToolError};

use crate::time::later;

use super::flight::{Answer, Landing, Sender};

/// The keys in use, and what came of their calls.
#[derive(Debug)]
pub(crate) struct Keys {
    window: Duration,
    capacity: usize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    slots: HashMap<String, Slot>,
    /// The keys in the order of their ends, as every window has the same length.
    ends: VecDeque<(Instant, String)>,
}

#[derive(Debug)]
struct Slot {
    input: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    UnderWay(Landing),
    Done(Arc<Answer>),
}

/// What a look for a key shows.
#[derive(Debug)]
pub(crate) enum Keyed<'a> {
    /// The call was made; this came of it.
    Done(Arc<Answer>),
    /// The call is being made.
    UnderWay(Landing),
    /// The caller is the first.
    First(First<'a>),
}

impl Keys {
    pub(crate) fn new(window: Duration, capacity: usize) -> Self {
        Self { window, capacity, table: Mutex::default() }
    }

    /// Looks for a key; the same key with another input is an error.
    pub(crate) fn look(&self, key: &str, input: &str) -> Result<Keyed<'_>, ToolError> {
        let input = hash_of(input);
        let now = Instant::now();
        let mut table = self.table.lock();
        table.forget_ended(now);
        if let Some(slot) = table.slots.get(key) {
            if slot.input != input {
                return Err(other_input());
            }
            return Ok(match &slot.state {
                State::UnderWay(landing) => Keyed::UnderWay(landing.clone()),
                State::Done(answer) => Keyed::Done(Arc::clone(answer)),
            });
        }
        // Forgetting a key early would run a call twice, so a full table refuses new ones.
        if table.slots.len() >= self.capacity {
            return Err(full(self.capacity));
        }
        let (sender, landing) = Landing::new();
        table.slots.insert(key.to_owned(), Slot { input, state: State::UnderWay(landing) });
        table.ends.push_back((later(now, self.window), key.to_owned()));
        Ok(Keyed::First(First { keys: self, key: key.to_owned(), sender: Some(sender), ran: None }))
    }
}

impl Table {
    fn forget_ended(&mut self, now: Instant) {
        while let Some((end, key)) = self.ends.front() {
            if *end > now {
                break;
            }
            self.slots.remove(key);
            self.ends.pop_front();
        }
    }
}

/// The duty of the first call with a key: leave what came of it.
#[derive(Debug)]
pub(crate) struct First<'a> {
    keys: &'a Keys,
    key: String,
    sender: Option<Sender>,
    /// Set once the tool has been started: from then on the key must not run again.
    ran: Option<CallId>,
}

impl First<'_> {
    /// Says that the tool is about to run.
    pub(crate) fn start(&mut self, call_id: CallId) {
        self.ran = Some(call_id);
    }

    pub(crate) fn land(mut self, answer: &Arc<Answer>) {
        if self.ran.is_some() {
            self.leave(answer);
        }
    }

    fn leave(&mut self, answer: &Arc<Answer>) {
        let Some(sender) = self.sender.take() else { return };
        if let Some(slot) = self.keys.table.lock().slots.get_mut(&self.key) {
            slot.state = State::Done(Arc::clone(answer));
        }
        sender.send_replace(Some(Arc::clone(answer)));
    }
}

impl Drop for First<'_> {
    fn drop(&mut self) {
        if self.sender.is_none() {
            return;
        }
        match self.ran {
            // The caller went away while the tool ran: nobody knows what it did, so it stays done.
            Some(call_id) => {
                let error = ToolError::new(
                    ErrorKind::Cancelled,
                    "The first call with this idempotency key was cancelled while it ran; what it \
                     did is unknown. Check, and use another key to run it again.",
                );
                self.leave(&Arc::new(Answer { call_id, result: Err(error) }));
            }
            None => {
                let mut table = self.keys.table.lock();
                table.slots.remove(&self.key);
                table.ends.retain(|(_, key)| *key != self.key);
            }
        }
    }
}

fn hash_of(input: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    hasher.finish()
}

fn other_input() -> ToolError {
    ToolError::validation(
        "This idempotency key was used with another input; use a new key for a new input.",
    )
}

fn full(capacity: usize) -> ToolError {
    ToolError::new(
        ErrorKind::Rejected,
        format!("{capacity} idempotency keys are in use; call without a key or try again later."),
    )
}
