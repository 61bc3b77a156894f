//! The circuit breaker of an upstream: after failures in a row it is left alone for a while.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;
use toolsmith_core::{ErrorKind, ToolError};

/// How many failures in a row open the breaker.
const FAILURES: u32 = 5;

/// How long an open breaker refuses before it lets one call try.
const REST: Duration = Duration::from_secs(15);

/// Counts failures of one upstream and refuses calls while it is down.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    state: Mutex<State>,
}

/// The breakers of an engine: tools of one upstream share one, also over a reload.
#[derive(Debug, Default)]
pub(crate) struct Breakers(Mutex<ByUpstream>);

#[derive(Debug, Default)]
struct ByUpstream {
    breakers: HashMap<String, Arc<Breaker>>,
    /// How many there may be before the next sweep.
    sweep_at: usize,
}

impl Breakers {
    pub(crate) fn of(&self, upstream: &str) -> Arc<Breaker> {
        let mut known = self.0.lock();
        let ByUpstream { breakers, sweep_at } = &mut *known;
        // Upstreams whose tools are all gone are forgotten, now and then: looking at all of them
        // for each of many tools would take long.
        if breakers.len() >= *sweep_at {
            breakers.retain(|name, breaker| name == upstream || Arc::strong_count(breaker) > 1);
            *sweep_at = (breakers.len() * 2).max(64);
        }
        Arc::clone(breakers.entry(upstream.to_owned()).or_default())
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    failures_in_a_row: u32,
    /// Until when calls are refused; one call tries when it has passed.
    open_until: Option<Instant>,
}

impl Breaker {
    /// Refuses while the upstream rests; lets one call through to try when the rest is over.
    pub(crate) fn check(&self, upstream: &str) -> Result<(), ToolError> {
        let now = Instant::now();
        let mut state = self.state.lock();
        let Some(until) = state.open_until else { return Ok(()) };
        if now >= until {
            // The next caller waits for the verdict of this one.
            state.open_until = Some(now + REST);
            return Ok(());
        }
        let wait = until - now;
        Err(ToolError::upstream(format!(
            "`{upstream}` failed {} times in a row and is left alone for {:.0} more seconds; use \
             another tool or try again later.",
            state.failures_in_a_row,
            wait.as_secs_f64().ceil()
        ))
        .with_retry_after(wait))
    }

    /// Tells whether calls are refused now.
    pub(crate) fn is_open(&self) -> bool {
        self.state.lock().open_until.is_some_and(|until| until > Instant::now())
    }

    /// Counts how an attempt went; only the upstream's own failures count against it.
    pub(crate) fn count(&self, result: Result<(), &ToolError>) {
        let mut state = self.state.lock();
        match result.map_err(ToolError::kind) {
            Err(ErrorKind::UpstreamError | ErrorKind::Timeout) => {
                state.failures_in_a_row = state.failures_in_a_row.saturating_add(1);
                if state.failures_in_a_row >= FAILURES {
                    state.open_until = Some(Instant::now() + REST);
                }
            }
            _ => *state = State::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_opens_after_failures_in_a_row_and_lets_one_call_try_after_a_rest() {
        let breaker = Breaker::default();
        let down = ToolError::upstream("down");
        for _ in 0..FAILURES {
            breaker.check("weather").unwrap();
            breaker.count(Err(&down));
        }
        let error = breaker.check("weather").unwrap_err();
        assert_eq!(error.retry_after(), Some(REST));
        tokio::time::advance(REST).await;
        breaker.check("weather").unwrap();
        breaker.check("weather").unwrap_err();
        breaker.count(Ok(()));
        breaker.check("weather").unwrap();
    }

    #[test]
    fn failures_of_the_caller_do_not_count() {
        let breaker = Breaker::default();
        for _ in 0..20 {
            breaker.count(Err(&ToolError::failed("wrong city")));
        }
        breaker.check("weather").unwrap();
    }
}
