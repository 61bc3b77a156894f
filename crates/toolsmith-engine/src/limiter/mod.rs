//! Slots for calls: how many run at once, who waits for a slot, and who is next.
//!
//! One short lock guards counters and queues. Whenever it is free, no waiter could run: a slot that
//! is given back goes to the next waiter under the same lock. So whoever finds a free slot may take
//! it without looking at the queues, and overtakes nobody.

mod config;
mod metrics;
mod permit;
mod state;
#[cfg(test)]
mod tests;
mod waiting;

use std::{collections::BTreeMap, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;

use toolsmith_core::Category;

use self::{
    config::by_bucket,
    state::{Entry, State},
    waiting::Waiting,
};
pub use self::{
    config::{LimiterConfig, Strategy},
    metrics::{BucketMetrics, Metrics},
    permit::Permit,
};

/// Lets a bounded number of calls run at once, over all and in each bucket.
///
/// Every call takes its lock twice, so it stands in cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Limiter {
    state: Mutex<State>,
    /// The names of the limited buckets, sorted; a [`BucketId`] is an index into them.
    names: Vec<String>,
    strategy: Strategy,
    aging: Duration,
    /// The zero of the time in which places in a priority queue are counted.
    started: Instant,
}

impl Limiter {
    /// Makes a limiter with all slots free.
    ///
    /// A limit of 0 lets nothing run; [`LimiterConfig::check`] finds such mistakes.
    pub fn new(config: LimiterConfig) -> Self {
        let LimiterConfig { max_concurrent, queue_size, strategy, bucket_limits, aging } = config;
        let (names, limits): (Vec<_>, Vec<_>) = by_bucket(bucket_limits).into_iter().unzip();
        let state = State::new(max_concurrent, queue_size, strategy, &limits);
        Self { state: Mutex::new(state), names, strategy, aging, started: Instant::now() }
    }

    /// Finds the bucket of a category; done once for a tool, so that calls compare no strings.
    pub fn bucket(&self, category: &Category) -> BucketId {
        let place = self.names.binary_search_by(|name| name.as_str().cmp(category.bucket()));
        place.map_or(BucketId::UNLIMITED, BucketId)
    }

    /// Takes a slot, waiting in turn until the deadline when none is free.
    ///
    /// A higher priority goes first under the priority strategy and means nothing under the others.
    /// Dropping the future at any moment leaves the queue and loses no slot.
    pub async fn acquire(
        &self,
        bucket: BucketId,
        priority: i32,
        deadline: Instant,
    ) -> Result<Permit<'_>, Refusal> {
        if let Some(permit) = self.try_acquire(bucket) {
            return Ok(permit);
        }
        let rank = self.rank(priority);
        let entry = self.state.lock().enter(bucket, rank)?;
        match entry {
            Entry::Slot => Ok(Permit::new(self, bucket)),
            Entry::Queued(ticket) => Waiting::new(self, ticket).until(deadline).await,
        }
    }

    /// Takes a slot if one is free; overtakes nobody, and counts as no refusal if there is none.
    pub fn try_acquire(&self, bucket: BucketId) -> Option<Permit<'_>> {
        let taken = self.state.lock().take(bucket);
        taken.then(|| Permit::new(self, bucket))
    }

    /// Refuses all waiters and all further calls; permits that are out stay valid.
    pub fn close(&self) {
        let queues = self.state.lock().close();
        for waker in queues.into_iter().flat_map(BTreeMap::into_values) {
            waker.wake();
        }
    }

    /// Returns the counters of the whole limiter.
    pub fn metrics(&self) -> Metrics {
        self.state.lock().metrics()
    }

    /// Returns the counters of each limited bucket, by name.
    pub fn bucket_metrics(&self) -> BTreeMap<String, BucketMetrics> {
        let counters = self.state.lock().bucket_metrics();
        self.names.iter().cloned().zip(counters).collect()
    }

    /// Ranks a call that starts to wait: the smallest rank is served first.
    ///
    /// A step of priority is worth a fixed time of waiting. As all waiters age alike, ageing never
    /// changes who stands before whom: it is a head start on the time of arrival.
    fn rank(&self, priority: i32) -> i128 {
        if self.strategy != Strategy::Priority {
            return 0;
        }
        // 2^31 steps of the longest duration are less than 2^125 nanoseconds, so ranks stay exact.
        let head_start = i128::from(priority).saturating_mul(nanos(self.aging));
        nanos(self.started.elapsed()).saturating_sub(head_start)
    }
}

fn nanos(duration: Duration) -> i128 {
    i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX)
}

/// A bucket of one limiter, found by [`Limiter::bucket`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketId(usize);

impl BucketId {
    /// The bucket of all categories without a limit of their own.
    pub const UNLIMITED: Self = Self(usize::MAX);
}

/// Why a call got no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No slot is free, and the strategy is not to wait.
    Busy,
    /// No slot is free, and as many calls wait as may wait.
    QueueFull,
    /// The deadline passed while the call was waiting.
    Timeout,
    /// The limiter is closed.
    Closed,
}
