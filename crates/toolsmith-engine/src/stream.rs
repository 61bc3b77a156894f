//! A call that is followed while it runs.

use std::fmt;

use tokio::{sync::mpsc, task::JoinSet};
use toolsmith_core::{Call, Outcome, StreamItem, StreamSink};

use crate::engine::Engine;

/// How many items a tool may be ahead of its follower.
const AHEAD: usize = 64;

/// A call under way: its chunks and progress as they come, then its outcome.
///
/// The call runs by itself, so that its deadline holds however slowly the stream is read; dropping
/// the stream cancels it.
pub struct CallStream {
    receiver: mpsc::Receiver<StreamItem>,
    /// One task; it ends with the stream.
    work: JoinSet<Outcome>,
    outcome: Option<Outcome>,
}

/// What a follower sees.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// A chunk, or progress.
    Item(StreamItem),
    /// What came of the call; nothing follows.
    Outcome(Box<Outcome>),
}

impl CallStream {
    pub(crate) fn start(engine: Engine, mut call: Call) -> Self {
        let (sender, receiver) = mpsc::channel(AHEAD);
        call.stream = Some(StreamSink::new(sender));
        let mut work = JoinSet::new();
        work.spawn(async move { engine.call(call).await });
        Self { receiver, work, outcome: None }
    }

    /// Waits for the next item; nothing after the outcome.
    pub async fn next(&mut self) -> Option<Followed> {
        if self.outcome.is_none() && !self.work.is_empty() {
            tokio::select! {
                biased;
                Some(item) = self.receiver.recv() => return Some(Followed::Item(item)),
                ended = self.work.join_next() => {
                    self.outcome = ended.and_then(Result::ok);
                    // Code that outlives its call can send no more.
                    self.receiver.close();
                }
            }
        }
        // What was sent before the end still comes before the outcome.
        if let Ok(item) = self.receiver.try_recv() {
            return Some(Followed::Item(item));
        }
        self.outcome.take().map(|outcome| Followed::Outcome(Box::new(outcome)))
    }
}

impl fmt::Debug for CallStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallStream")
    }
}
