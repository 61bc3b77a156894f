//! One session of a client that began with `initialize`.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering::Relaxed},
    },
};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Text, Value};

use super::{
    meta::{Abilities, Level},
    resources::Followed,
    revision::Revision,
    wire::{Id, Response},
};

/// What came back: the result, or the error.
pub(crate) type Returned = Result<Value, Value>;

/// The level of a client that has named none.
const SILENCE: u8 = u8::MAX;

/// One session of a client that began with `initialize`.
#[derive(Debug)]
pub(crate) struct Session {
    /// Who opened it; nobody else may use it.
    pub(crate) visitor: Text,
    /// What is spoken.
    pub(crate) revision: Revision,
    /// What the client can be asked.
    pub(crate) abilities: Abilities,
    /// From which level on it wants to hear messages.
    level: AtomicU8,
    /// When it was last used, in milliseconds of its table.
    pub(super) used: AtomicU64,
    running: Mutex<HashMap<Box<str>, CancellationToken>>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Returned>>>,
    next_question: AtomicU64,
    /// The resources that the client follows.
    pub(crate) followed: Followed,
    listener: Mutex<Option<CancellationToken>>,
}

impl Session {
    /// Begins a session.
    pub(crate) fn new(visitor: Text, revision: Revision, abilities: Abilities) -> Self {
        Self {
            visitor,
            revision,
            abilities,
            level: AtomicU8::new(SILENCE),
            used: AtomicU64::new(0),
            running: Mutex::default(),
            asked: Mutex::default(),
            next_question: AtomicU64::new(1),
            followed: Followed::default(),
            listener: Mutex::default(),
        }
    }

    /// Returns the level from which on the client wants to hear messages, once it has said so.
    ///
    /// Who is left to hear nothing has answers that are single messages, which cost both ends less.
    pub(crate) fn level(&self) -> Option<Level> {
        Level::ALL.get(usize::from(self.level.load(Relaxed))).copied()
    }

    /// Sets that level.
    pub(crate) fn set_level(&self, level: Level) {
        self.level.store(level as u8, Relaxed);
    }

    /// Remembers a request while it runs, so that the client can take it back.
    pub(crate) fn run(self: &Arc<Self>, id: Id<'_>) -> Run {
        let (id, token) = (Box::from(id.as_json()), CancellationToken::new());
        self.running.lock().insert(Box::clone(&id), token.clone());
        Run { session: Arc::clone(self), id, token }
    }

    /// Takes a request back; nothing happens when it is over.
    pub(crate) fn cancel(&self, id: &str) {
        if let Some(token) = self.running.lock().get(id) {
            token.cancel();
        }
    }

    /// Remembers a question of ours, and returns its number and where the answer will be.
    pub(crate) fn ask(self: &Arc<Self>) -> (Asked, oneshot::Receiver<Returned>) {
        let (sender, receiver) = oneshot::channel();
        let number = self.next_question.fetch_add(1, Relaxed);
        self.asked.lock().insert(number, sender);
        (Asked { session: Arc::clone(self), number }, receiver)
    }

    /// Hands an answer of the client to who waits for it.
    pub(crate) fn hear(&self, response: &Response<'_>) {
        let number = response.id.as_json().parse::<u64>().ok();
        let Some(sender) = number.and_then(|number| self.asked.lock().remove(&number)) else {
            return;
        };
        let read = |raw: &serde_json::value::RawValue| {
            crate::json::strict(&mut serde_json::Deserializer::from_str(raw.get()))
                .unwrap_or_default()
        };
        // Who asked may have left meanwhile.
        sender.send(response.outcome.map(read).map_err(read)).ok();
    }

    /// Makes a stream the one that hears what belongs to no request; the one before ends.
    pub(crate) fn listen(&self) -> CancellationToken {
        let token = CancellationToken::new();
        if let Some(before) = self.listener.lock().replace(token.clone()) {
            before.cancel();
        }
        token
    }

    /// Tells whether something of it is under way.
    pub(super) fn is_busy(&self) -> bool {
        let listens = |token: &CancellationToken| !token.is_cancelled();
        !self.running.lock().is_empty() || self.listener.lock().as_ref().is_some_and(listens)
    }

    /// Forgets every open question: nobody is there any longer who could answer.
    pub(crate) fn forget_questions(&self) {
        self.asked.lock().clear();
    }

    /// Ends everything that is under way.
    pub(super) fn end(&self) {
        if let Some(listener) = self.listener.lock().take() {
            listener.cancel();
        }
        for token in self.running.lock().values() {
            token.cancel();
        }
        self.forget_questions();
    }
}

/// A request while it runs; forgotten when it is dropped.
#[derive(Debug)]
pub(crate) struct Run {
    session: Arc<Session>,
    id: Box<str>,
    /// Cancelled when the client takes the request back.
    pub(crate) token: CancellationToken,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.session.running.lock().remove(&self.id);
    }
}

/// A question while it is open; forgotten when it is dropped.
#[derive(Debug)]
pub(crate) struct Asked {
    session: Arc<Session>,
    /// What the answer is known by.
    pub(crate) number: u64,
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.session.asked.lock().remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_asked_learns_that_nobody_will_answer() {
        let session = Session::new("me".into(), Revision::Nov2025, Abilities::default());
        let (asked, answer) = Arc::new(session).ask();
        asked.session.forget_questions();
        assert!(answer.await.is_err());
    }
}
