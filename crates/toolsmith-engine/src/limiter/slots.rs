//! The limiter itself: takes and gives back slots, with the lock or without.

use std::{collections::BTreeMap, task::Waker, time::Duration};

use parking_lot::Mutex;
use tokio::time::Instant;

use toolsmith_core::Category;

use super::{
    BucketId, BucketMetrics, LimiterConfig, Metrics, Permit, Refusal, Strategy,
    config::by_bucket,
    spare::{PutDown, Spare},
    state::{Entry, State},
    waiting::Waiting,
};

/// Lets a bounded number of calls run at once, over all and in each bucket.
///
/// Its lock changes hands, so it stands in cache lines of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Limiter {
    pub(super) state: Mutex<State>,
    spare: Spare,
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
        let (state, spare) = (Mutex::new(state), Spare::new());
        Self { state, spare, names, strategy, aging, started: Instant::now() }
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
        let entry = self.locked(|state| state.enter(bucket, rank))?;
        match entry {
            Entry::Slot => Ok(Permit::new(self, bucket)),
            Entry::Queued(ticket) => Waiting::new(self, ticket).until(deadline).await,
        }
    }

    /// Takes a slot if one is free; overtakes nobody, and counts as no refusal if there is none.
    pub fn try_acquire(&self, bucket: BucketId) -> Option<Permit<'_>> {
        let taken = self.picks_up(bucket)
            || self.state.lock().take(bucket)
            || self.locked(|state| state.take(bucket));
        taken.then(|| Permit::new(self, bucket))
    }

    /// Gives a slot back after some time: to this thread, or to the next waiter.
    pub(super) fn give_back(&self, bucket: BucketId, held: Duration) {
        self.spare.count_held(held);
        if self.is_limited(bucket) {
            return self.vacate(bucket);
        }
        match self.spare.put_down() {
            PutDown::Kept => {}
            PutDown::Wanted => self.locked(|_| ()),
            PutDown::Refused => self.vacate(bucket),
        }
    }

    fn vacate(&self, bucket: BucketId) {
        let mut state = self.state.lock();
        let next = state.vacate(bucket);
        self.spare.set_crowded(state.is_crowded());
        drop(state);
        if let Some(waker) = next {
            waker.wake();
        }
    }

    fn picks_up(&self, bucket: BucketId) -> bool {
        !self.is_limited(bucket) && self.spare.pick_up()
    }

    /// Tells whether a bucket counts its slots; those of all others are interchangeable.
    fn is_limited(&self, bucket: BucketId) -> bool {
        bucket.0 < self.names.len()
    }

    /// Works on the state with every slot in it, none lying ready with a thread.
    pub(super) fn locked<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock();
        // Marked before gathering: a slot put down later is seen by the one who puts it down.
        self.spare.set_crowded(true);
        let gathered = self.spare.gather();
        // Those who waited before come first.
        let next: Vec<_> =
            (0..gathered).filter_map(|_| state.vacate(BucketId::UNLIMITED)).collect();
        let result = work(&mut state);
        self.spare.set_crowded(state.is_crowded());
        drop(state);
        next.into_iter().for_each(Waker::wake);
        result
    }

    /// Refuses all waiters and all further calls; permits that are out stay valid.
    pub fn close(&self) {
        let queues = self.locked(State::close);
        for waker in queues.into_iter().flat_map(BTreeMap::into_values) {
            waker.wake();
        }
    }

    /// Returns the counters of the whole limiter.
    pub fn metrics(&self) -> Metrics {
        let state = self.state.lock();
        let metrics = state.metrics();
        // Read under the lock, so that nobody gathers in between.
        let (ready, picked_up, held) = self.spare.totals();
        let current = metrics.current_concurrent.saturating_sub(ready);
        let acquired = metrics.total_acquired + picked_up;
        let released = acquired.saturating_sub(state.acquired_in_use(current));
        #[expect(clippy::cast_precision_loss, reason = "2^53 calls are out of reach")]
        let avg_execution_time = held.as_secs_f64() / released.max(1) as f64;
        Metrics {
            current_concurrent: current,
            total_acquired: acquired,
            avg_execution_time,
            ..metrics
        }
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
