//! The calls of a session that wait for their answers, by their numbers.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
};

use foldhash::quality::RandomState;
use parking_lot::Mutex;
use rmcp::{ErrorData, model::ServerResult};
use tokio::sync::oneshot;

/// The number of the first call.
///
/// The library numbers its own requests from 0, and with calls gone it has only lists and pings to
/// number, so it never gets here. The numbers of a billion calls fit into 32 bits, and some servers take no larger.
pub(super) const FIRST: i64 = 1 << 30;

/// What a server answers to a call: a result, or an error of the protocol.
pub(super) type Answer = Result<ServerResult, ErrorData>;

/// The calls that wait.
#[derive(Debug, Default)]
pub(super) struct Calls {
    waiting: Mutex<HashMap<i64, oneshot::Sender<Answer>, RandomState>>,
    /// Whether no answer comes any more; set with the lock held.
    is_over: AtomicBool,
}

impl Calls {
    /// Enters a call; its answer comes to the receiver, which hears of the end of the session too.
    pub(super) fn enter(&self, number: i64) -> Option<oneshot::Receiver<Answer>> {
        let mut waiting = self.waiting.lock();
        if self.is_over() {
            return None;
        }
        let (tell, answer) = oneshot::channel();
        waiting.insert(number, tell);
        Some(answer)
    }

    /// Hands an answer to whoever waits for it; a late one to nobody.
    pub(super) fn answer(&self, number: i64, answer: Answer) {
        let waiting = self.waiting.lock().remove(&number);
        if let Some(waiting) = waiting {
            // Whoever has just given up does not hear it.
            waiting.send(answer).ok();
        }
    }

    /// Forgets a call that nobody waits for any more.
    pub(super) fn forget(&self, number: i64) {
        self.waiting.lock().remove(&number);
    }

    /// Lets every call that waits hear that no answer comes.
    pub(super) fn end(&self) {
        let mut waiting = self.waiting.lock();
        self.is_over.store(true, Ordering::Relaxed);
        waiting.clear();
    }

    /// Tells whether no answer comes any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_comes_to_its_call_and_a_late_one_to_nobody() {
        let calls = Calls::default();
        let [first, second] = [1, 2].map(|number| calls.enter(number).unwrap());
        calls.forget(1);
        calls.answer(1, Err(ErrorData::internal_error("late", None)));
        calls.answer(2, Err(ErrorData::internal_error("for the second", None)));
        assert!(first.await.is_err());
        assert_eq!(second.await.unwrap().unwrap_err().message, "for the second");
        assert!(calls.waiting.lock().is_empty());
    }
}
