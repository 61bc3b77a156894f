//! Asks the active source first, and the others when it cannot be started or reached.

use std::{fmt, time::Duration};

use parking_lot::Mutex;
use toolsmith_core::{BoxFuture, Executor, ToolContext, ToolError, Value};

use crate::life::{Backoff, Failure, Source};

/// Whether a call that may have run may be sent to another source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    Never,
    May,
}

/// Runs a tool that several sources can serve.
pub(super) struct Failover {
    /// The active one first, the others in the order of the list.
    sources: Vec<Rested>,
    repeat: Repeat,
}

struct Rested {
    place: usize,
    source: Box<dyn Source>,
    backoff: Mutex<Backoff>,
}

impl Failover {
    pub(super) fn new(sources: Vec<Box<dyn Source>>, active: usize, repeat: Repeat) -> Self {
        let rested = |(place, source)| Rested { place, source, backoff: Mutex::default() };
        let mut sources: Vec<Rested> = sources.into_iter().enumerate().map(rested).collect();
        sources.sort_by_key(|rested| (rested.place != active, rested.place));
        Self { sources, repeat }
    }

    async fn run(&self, input: Value) -> Result<Value, ToolError> {
        let is_awake = |rested: &&Rested| rested.backoff.lock().rest().is_none();
        let mut asked: Vec<&Rested> = self.sources.iter().filter(is_awake).collect();
        // When all of them rest, each says for itself how it is.
        if asked.is_empty() {
            asked = self.sources.iter().collect();
        }
        let mut failures = Vec::new();
        for rested in asked {
            let failure = match rested.source.attempt(input.clone()).await {
                Ok(value) => {
                    rested.backoff.lock().forget();
                    return Ok(value);
                }
                Err(failure) => failure,
            };
            let may_go_on = match &failure {
                Failure::Unreached(_) => true,
                Failure::Lost(_) => self.repeat == Repeat::May,
                Failure::Answered(_) => false,
            };
            if !matches!(failure, Failure::Answered(_)) {
                rested.backoff.lock().note_failure(Duration::ZERO);
            }
            let error = failure.into_error();
            if !may_go_on {
                return Err(error);
            }
            tracing::warn!(source = rested.place, "{error}");
            failures.push((rested.place, error));
        }
        Err(all_failed(failures))
    }
}

impl Executor for Failover {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(self.run(input))
    }
}

impl fmt::Debug for Failover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sources.iter().map(|rested| &rested.source)).finish()
    }
}

/// Says of each source why it did not serve; the first one gives kind and advice.
fn all_failed(failures: Vec<(usize, ToolError)>) -> ToolError {
    let told: Vec<String> = failures
        .iter()
        .map(|(place, error)| format!("Source {place}: {}", error.message()))
        .collect();
    let Some((_, first)) = failures.into_iter().next() else {
        return ToolError::failed("The tool has no source.");
    };
    if let [_] = told.as_slice() {
        return first;
    }
    first.with_message(format!("No source of the tool could serve the call.\n{}", told.join("\n")))
}
