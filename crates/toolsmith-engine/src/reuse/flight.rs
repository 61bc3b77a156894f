//! Equal calls under way are one: the first runs, the others wait for its answer.

use std::sync::Arc;

use tokio::{
    sync::watch,
    time::{Instant, timeout_at},
};
use toolsmith_core::{CallId, ErrorKind, ToolError, Value};

/// What came of a call that others may use.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) call_id: CallId,
    pub(crate) result: Result<Value, ToolError>,
}

impl Answer {
    /// Tells whether the answer would have been the same for another caller.
    ///
    /// That one caller gave up, ran out of time or found the queue full says nothing to the next.
    pub(crate) fn holds_for_others(&self) -> bool {
        self.result.as_ref().err().is_none_or(|error| {
            matches!(
                error.kind(),
                ErrorKind::ExecutionError | ErrorKind::UpstreamError | ErrorKind::OutputInvalid
            )
        })
    }
}

pub(super) type Sender = watch::Sender<Option<Arc<Answer>>>;

/// Where followers wait for the answer of the call that runs.
#[derive(Clone, Debug)]
pub(crate) struct Landing(watch::Receiver<Option<Arc<Answer>>>);

impl Landing {
    pub(super) fn new() -> (Sender, Self) {
        let (sender, receiver) = watch::channel(None);
        (sender, Self(receiver))
    }

    /// Waits for the answer; nothing when the running call ended without one.
    pub(crate) async fn wait(
        &mut self,
        deadline: Instant,
    ) -> Result<Option<Arc<Answer>>, ToolError> {
        match timeout_at(deadline, self.0.wait_for(Option::is_some)).await {
            Ok(Ok(answer)) => Ok(answer.clone()),
            Ok(Err(_gone)) => Ok(None),
            Err(_elapsed) => Err(ToolError::new(
                ErrorKind::Timeout,
                "The deadline passed while waiting for an equal call that is under way; allow more \
                 time or try again later.",
            )),
        }
    }
}
