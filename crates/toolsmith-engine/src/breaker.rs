//! The circuit breaker of an upstream: after failures in a row it is left alone for a while.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;
use toolsmith_core::{Advice, ErrorKind, ToolError};

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
    /// How many failures were ever counted.
    counted: u64,
}

/// An attempt under way: how many failures were counted when it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt(u64);

/// What the end of an attempt says of the upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// It answered, if only with a refusal.
    Alive,
    /// It is not there, or does not work.
    Down,
    /// Nothing.
    Unknown,
}

impl Sign {
    /// Reads what an error says of the upstream that it came from.
    ///
    /// Whoever refuses one call is there for the others: what is final or wants another input is
    /// about the call, and so is a status of 4xx. A call that may have run lost its upstream.
    pub(crate) fn of(error: &ToolError) -> Self {
        let details = error.details();
        let is_refusal = || matches!(details["status"].as_u64(), Some(400..=499));
        match error.kind() {
            ErrorKind::Timeout => Self::Down,
            ErrorKind::UpstreamError if details["may_have_run"] == true => Self::Down,
            ErrorKind::UpstreamError if error.advice() == Advice::Later && !is_refusal() => {
                Self::Down
            }
            _ => Self::Alive,
        }
    }
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

    /// Notes the beginning of an attempt.
    pub(crate) fn begin(&self) -> Attempt {
        Attempt(self.state.lock().counted)
    }

    /// Counts how an attempt went; only the upstream's own failures count against it.
    ///
    /// All that was under way when an upstream failed fails with it: that is one failure.
    pub(crate) fn count(&self, attempt: Attempt, sign: Sign) {
        let mut state = self.state.lock();
        match sign {
            Sign::Down if attempt.0 == state.counted => {
                state.counted += 1;
                state.failures_in_a_row = state.failures_in_a_row.saturating_add(1);
                if state.failures_in_a_row >= FAILURES {
                    state.open_until = Some(Instant::now() + REST);
                }
            }
            Sign::Down | Sign::Unknown => {}
            Sign::Alive => *state = State { counted: state.counted, ..State::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_opens_after_failures_in_a_row_and_lets_one_call_try_after_a_rest() {
        let breaker = Breaker::default();
        for _ in 0..FAILURES {
            breaker.check("weather").unwrap();
            breaker.count(breaker.begin(), Sign::Down);
        }
        let error = breaker.check("weather").unwrap_err();
        assert_eq!(error.retry_after(), Some(REST));
        tokio::time::advance(REST).await;
        breaker.check("weather").unwrap();
        breaker.check("weather").unwrap_err();
        breaker.count(breaker.begin(), Sign::Alive);
        breaker.check("weather").unwrap();
    }

    #[test]
    fn what_fails_together_is_one_failure() {
        let breaker = Breaker::default();
        for death in 1..=FAILURES {
            let attempts: Vec<Attempt> = (0..8).map(|_| breaker.begin()).collect();
            for attempt in attempts {
                breaker.count(attempt, Sign::Down);
            }
            assert_eq!(breaker.is_open(), death == FAILURES, "{death}");
        }
    }

    #[test]
    fn what_says_nothing_of_the_upstream_changes_nothing() {
        let breaker = Breaker::default();
        for sign in [Sign::Down, Sign::Unknown].repeat(4) {
            breaker.count(breaker.begin(), sign);
        }
        assert!(!breaker.is_open());
        breaker.count(breaker.begin(), Sign::Down);
        assert!(breaker.is_open());
    }

    #[test]
    fn refusals_of_a_call_are_signs_of_life() {
        let upstream = || ToolError::upstream("no");
        for (error, sign) in [
            (ToolError::failed("wrong city"), Sign::Alive),
            (upstream().with_advice(Advice::Differently), Sign::Alive),
            (upstream().with_advice(Advice::Final), Sign::Alive),
            (upstream().with_details(json!({ "status": 429 })), Sign::Alive),
            (upstream().with_details(json!({ "status": 503 })), Sign::Down),
            (upstream(), Sign::Down),
            (ToolError::new(ErrorKind::Timeout, "slow"), Sign::Down),
        ] {
            assert_eq!(Sign::of(&error), sign, "{error:?}");
        }
        let lost = upstream().with_details(json!({ "may_have_run": true }));
        assert_eq!(Sign::of(&lost.with_advice(Advice::Final)), Sign::Down);
    }
}
