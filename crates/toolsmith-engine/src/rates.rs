//! How many calls in how long, and what they cost.

use std::{collections::HashMap, time::Duration};

use lru::LruCache;
use parking_lot::Mutex;
use serde::Serialize;
use tokio::time::Instant;
use toolsmith_core::{Quota, RateBy, RateLimit, Text};

use crate::time::later;

/// More callers than this are forgotten when their allowance is whole again.
const CALLERS_BEFORE_SWEEP: usize = 10_000;

/// How many callers have an account; the one that was away longest loses it first.
const ACCOUNTS: usize = 100_000;

/// A rate limit, by the generic cell rate algorithm: one instant for each who is limited, no
/// background work, and a burst of `calls` after a rest.
#[derive(Debug)]
pub(crate) struct Rate {
    limit: RateLimit,
    book: RateBook,
}

/// What is left to each who is limited, whatever the limit is.
#[derive(Debug)]
pub(crate) struct RateBook(Mutex<WholeAt>);

/// When the allowance of each would be whole again.
#[derive(Debug)]
struct WholeAt {
    callers: HashMap<Text, Instant>,
    /// With how many callers those whose allowance is whole are forgotten.
    sweep_at: usize,
}

impl Rate {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, book: RateBook::default() }
    }

    /// Takes one call out of the allowance, or tells how long to wait for the next one.
    pub(crate) fn take(&self, caller: Option<&Text>) -> Result<(), Duration> {
        let key = match self.limit.by {
            RateBy::Tool => Text::default(),
            RateBy::Caller => caller.cloned().unwrap_or_default(),
        };
        self.book.take(self.limit, key)
    }

    pub(crate) fn limit(&self) -> RateLimit {
        self.limit
    }
}

impl RateBook {
    /// Takes one call out of someone's allowance, or tells how long to wait for the next one.
    pub(crate) fn take(&self, limit: RateLimit, who: Text) -> Result<(), Duration> {
        let step = limit.per.div_f64(f64::from(limit.calls.max(1)));
        let now = Instant::now();
        let mut whole_at = self.0.lock();
        if whole_at.callers.len() > whole_at.sweep_at {
            whole_at.callers.retain(|_, at| *at > now);
            // Twice as many next time, so that sweeping stays a small part of the work.
            whole_at.sweep_at = CALLERS_BEFORE_SWEEP.max(whole_at.callers.len() * 2);
        }
        let at = later(whole_at.callers.get(&who).copied().unwrap_or(now).max(now), step);
        let behind = at.duration_since(now);
        if let Some(wait) = behind.checked_sub(limit.per).filter(|wait| !wait.is_zero()) {
            return Err(wait);
        }
        whole_at.callers.insert(who, at);
        Ok(())
    }
}

impl Default for RateBook {
    fn default() -> Self {
        let callers = HashMap::new();
        Self(Mutex::new(WholeAt { callers, sweep_at: CALLERS_BEFORE_SWEEP }))
    }
}

/// What one caller has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Usage {
    /// How many calls were admitted.
    pub calls: u64,
    /// What they cost.
    pub cost: f64,
}

/// Adds up what callers use and holds them to their quota.
#[derive(Debug)]
pub(crate) struct Meter(Mutex<LruCache<Text, Account>>);

#[derive(Debug)]
struct Account {
    usage: Usage,
    period_began: Instant,
    calls_in_period: u64,
}

impl Meter {
    /// Books one admitted call, or tells how long until the quota allows another.
    pub(crate) fn book(
        &self,
        caller: &Text,
        cost: Option<f64>,
        quota: Option<Quota>,
    ) -> Result<(), Duration> {
        let now = Instant::now();
        let mut accounts = self.0.lock();
        if accounts.len() > ACCOUNTS {
            accounts.pop_lru();
        }
        let account = accounts.get_or_insert_mut(caller.clone(), || Account {
            usage: Usage::default(),
            period_began: now,
            calls_in_period: 0,
        });
        if let Some(quota) = quota {
            if now.duration_since(account.period_began) >= quota.per {
                (account.period_began, account.calls_in_period) = (now, 0);
            }
            if account.calls_in_period >= quota.calls {
                return Err(later(account.period_began, quota.per).saturating_duration_since(now));
            }
        }
        account.calls_in_period += 1;
        account.usage.calls += 1;
        account.usage.cost += cost.unwrap_or_default();
        Ok(())
    }

    pub(crate) fn usage(&self, caller: &str) -> Usage {
        self.0.lock().peek(caller).map(|account| account.usage).unwrap_or_default()
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self(Mutex::new(LruCache::unbounded()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(by: RateBy) -> Rate {
        Rate::new(RateLimit { calls: 3, per: Duration::from_secs(3), by })
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_allowed_and_then_one_call_a_step() {
        let rate = rate(RateBy::Tool);
        for _ in 0..3 {
            rate.take(None).unwrap();
        }
        let wait = rate.take(None).unwrap_err();
        assert_eq!(wait, Duration::from_secs(1));
        tokio::time::advance(wait).await;
        rate.take(None).unwrap();
        rate.take(None).unwrap_err();
    }

    #[tokio::test(start_paused = true)]
    async fn callers_have_their_own_allowance_where_it_says_so() {
        let rate = rate(RateBy::Caller);
        for _ in 0..3 {
            rate.take(Some(&"a".into())).unwrap();
        }
        rate.take(Some(&"a".into())).unwrap_err();
        rate.take(Some(&"b".into())).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_quota_begins_anew_after_its_period() {
        let meter = Meter::default();
        let quota = Some(Quota { calls: 2, per: Duration::from_mins(1) });
        let caller = Text::from("a");
        meter.book(&caller, Some(0.5), quota).unwrap();
        meter.book(&caller, Some(0.25), quota).unwrap();
        assert_eq!(meter.book(&caller, None, quota).unwrap_err(), Duration::from_mins(1));
        tokio::time::advance(Duration::from_mins(1)).await;
        meter.book(&caller, None, quota).unwrap();
        assert_eq!(meter.usage("a"), Usage { calls: 3, cost: 0.75 });
    }
}
