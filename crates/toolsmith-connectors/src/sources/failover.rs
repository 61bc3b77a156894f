//! Asks the active source first, and the others when it cannot be started or reached.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::{Instant, timeout};
use toolsmith_core::{BoxFuture, Executor, ToolContext, ToolError, Value};

use crate::life::{Backoff, Failure, Source};

/// How long a source that did not come up in time before is looked at.
///
/// Its start goes on without us, so that this is enough to see that it is there by now.
const LOOK: Duration = Duration::from_millis(100);

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
    /// Whether it did not come up in its share of the time, and has not served a call since.
    is_slow: AtomicBool,
}

impl Failover {
    /// Takes the sources with their places in the list, in the order in which they are asked.
    pub(super) fn new(sources: Vec<(usize, Box<dyn Source>)>, repeat: Repeat) -> Self {
        let sources = sources.into_iter().map(|(place, source)| {
            let (backoff, is_slow) = (Mutex::default(), AtomicBool::new(false));
            Rested { place, source, backoff, is_slow }
        });
        Self { sources: sources.collect(), repeat }
    }

    async fn run(&self, deadline: Instant, input: Value) -> Result<Value, ToolError> {
        let is_awake = |rested: &&Rested| rested.backoff.lock().rest().is_none();
        let mut asked: Vec<&Rested> = self.sources.iter().filter(is_awake).collect();
        // When all of them rest, each says for itself how it is.
        if asked.is_empty() {
            asked = self.sources.iter().collect();
        }
        let mut failures = Vec::new();
        for (rested, left) in asked.iter().zip((1..=asked.len()).rev()) {
            let failure = match rested.ask(deadline, left, input.clone()).await {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let may_go_on = match &failure {
                Failure::Unreached(_) => true,
                Failure::Lost(_) => self.repeat == Repeat::May,
                Failure::Answered(_) => false,
            };
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

impl Rested {
    /// Sends a call to the source; so many are left, this one included.
    async fn ask(&self, deadline: Instant, left: usize, input: Value) -> Result<Value, Failure> {
        let result = match self.come_up(deadline, left).await {
            Ok(()) => self.source.attempt(input).await,
            Err(error) => Err(Failure::Unreached(error)),
        };
        match &result {
            Ok(_) | Err(Failure::Answered(_)) => {
                self.is_slow.store(false, Ordering::Relaxed);
                self.backoff.lock().forget();
            }
            Err(_) => self.backoff.lock().note_failure(Duration::ZERO),
        }
        result
    }

    /// Waits until the source can be called, for no longer than its share of the time that is left.
    ///
    /// A start that hangs would otherwise leave nothing for the others. The last one may have it all.
    async fn come_up(&self, deadline: Instant, left: usize) -> Result<(), ToolError> {
        if left <= 1 {
            return self.source.come_up().await;
        }
        let time = deadline.saturating_duration_since(Instant::now());
        let parts = u32::try_from(left).unwrap_or(u32::MAX);
        let share = if self.is_slow.load(Ordering::Relaxed) { LOOK } else { time / parts };
        match timeout(share, self.source.come_up()).await {
            Ok(come) => come,
            Err(_) => {
                self.is_slow.store(true, Ordering::Relaxed);
                Err(ToolError::upstream(format!(
                    "It was not ready within {:.1} s, which was its share of the time.",
                    share.as_secs_f64()
                )))
            }
        }
    }
}

impl Executor for Failover {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(self.run(cx.deadline(), input))
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
