//! Requests that wait for answers of the client, which come with its next request.

use std::{collections::HashMap, fmt};

use parking_lot::Mutex;
use toolsmith_core::{Map, Text, Value};

use super::{following::Following, refusal::Refusal};

/// How many requests may wait at once.
const MOST: usize = 1_000;

/// How many of one caller: the others shall find room as well.
const MOST_OF_ONE: usize = 250;

/// Who asked for what: answers to anything else do not belong here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// Who asked.
    pub(crate) visitor: Text,
    /// The method.
    pub(crate) method: &'static str,
    /// The tool, the prompt or the address.
    pub(crate) name: String,
}

impl Subject {
    /// Tells whether a resource is asked for.
    pub(crate) fn is_resource(&self) -> bool {
        self.method == "resources/read"
    }
}

/// The requests that wait, by a state that only their client knows.
///
/// A call keeps running while it waits, within its own deadline, so that nothing of it is done
/// twice; the price is that the answers must come to the process that asked.
#[derive(Default)]
pub(crate) struct Rounds(Mutex<HashMap<u128, Box<Following>>>);

impl Rounds {
    /// Keeps a request, and returns the state by which it is found again.
    pub(crate) fn keep(&self, following: Box<Following>) -> Result<String, Refusal> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| Refusal::internal("There is no randomness."))?;
        let key = u128::from_le_bytes(bytes);
        let mut table = self.0.lock();
        let visitor = following.subject.visitor.clone();
        let is_full = |table: &HashMap<u128, Box<Following>>| {
            let own = table.values().filter(|waiting| waiting.subject.visitor == visitor);
            table.len() >= MOST || own.count() >= MOST_OF_ONE
        };
        if is_full(&table) {
            table.retain(|_, waiting| !waiting.is_over());
        }
        if is_full(&table) {
            return Err(Refusal::internal("Too many requests wait for answers."));
        }
        table.insert(key, following);
        Ok(format!("{key:032x}"))
    }

    /// Finds a request again, with the answers of its client.
    pub(crate) fn resume(
        &self,
        state: &str,
        subject: &Subject,
        answers: Map<String, Value>,
    ) -> Result<Box<Following>, Refusal> {
        let unknown = || {
            let why = "This `requestState` is not known, or its time is over; call again without.";
            Refusal::invalid_params(why)
        };
        let key = u128::from_str_radix(state, 16).ok().filter(|_| state.len() == 32);
        let key = key.ok_or_else(unknown)?;
        let mut table = self.0.lock();
        // Looked at before it is taken: a stranger's guess must not end somebody's call.
        if table.get(&key).is_none_or(|waiting| waiting.subject != *subject) {
            return Err(unknown());
        }
        let mut following = table.remove(&key).ok_or_else(unknown)?;
        drop(table);
        following.asking.give(answers);
        let is_answered = following.open.iter().all(|posed| following.asking.has(&posed.name));
        if is_answered {
            for posed in std::mem::take(&mut following.open) {
                if let Some(answer) = following.asking.take(&posed.name) {
                    // The tool may have stopped waiting.
                    posed.answer.send(answer).ok();
                }
            }
        }
        Ok(following)
    }

    /// Forgets the requests whose time is over.
    pub(crate) fn sweep(&self) {
        let mut table = self.0.lock();
        table.retain(|_, waiting| !waiting.is_over());
        if table.capacity() > 4 * table.len() + 64 {
            table.shrink_to_fit();
        }
    }

    /// Ends all of them.
    pub(crate) fn end_all(&self) {
        let table = std::mem::take(&mut *self.0.lock());
        drop(table);
    }
}

impl fmt::Debug for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rounds({} requests)", self.0.lock().len())
    }
}
