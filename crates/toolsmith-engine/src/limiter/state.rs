//! Counters and queues: everything that the lock of a limiter guards.
//!
//! Nothing here wakes or drops a waker or asks for the time: wakers are handed back to the caller,
//! who wakes or drops them after unlocking.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
    task::Waker,
};

use super::{BucketId, BucketMetrics, Metrics, Refusal, Strategy};

/// The wakers of those who wait in one bucket, next in turn first.
pub(super) type Queue = BTreeMap<Place, Waker>;

/// Where a waiter stands; the smallest is next, and it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    rank: i128,
    number: u64,
}

/// What a waiter holds to find its place again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticket {
    pub(super) bucket: BucketId,
    place: Place,
}

/// What a call gets when it comes.
#[derive(Debug)]
pub(super) enum Entry {
    /// A slot, taken.
    Slot,
    /// A place in the queue.
    Queued(Ticket),
}

/// How it stands with a waiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Waiting,
    Granted,
    Closed,
}

/// How it stood with a waiter that leaves.
#[derive(Debug)]
pub(super) enum Departure {
    /// It waited; its waker is to be dropped outside the lock.
    Waiting(Waker),
    /// It had a slot, which is now in the hands of the caller.
    Granted,
    Closed,
}

/// The state of a limiter.
#[derive(Debug)]
pub(super) struct State {
    max_concurrent: usize,
    in_use: usize,
    closed: bool,
    waiting: usize,
    unlimited: Bucket,
    limited: Vec<Bucket>,
    totals: Totals,
    /// The numbers of waiters that were given a slot and have not picked it up.
    granted: BTreeSet<u64>,
    next_number: u64,
    queue_size: usize,
    strategy: Strategy,
}

#[derive(Debug)]
struct Bucket {
    limit: usize,
    in_use: usize,
    queue: Queue,
}

#[derive(Debug, Default)]
struct Totals {
    acquired: u64,
    rejected: u64,
    timeout: u64,
}

impl State {
    pub(super) fn new(
        max_concurrent: usize,
        queue_size: usize,
        strategy: Strategy,
        limits: &[usize],
    ) -> Self {
        Self {
            max_concurrent,
            in_use: 0,
            closed: false,
            waiting: 0,
            unlimited: Bucket::new(usize::MAX),
            limited: limits.iter().copied().map(Bucket::new).collect(),
            totals: Totals::default(),
            granted: BTreeSet::new(),
            next_number: 0,
            queue_size,
            strategy,
        }
    }

    /// Takes a slot if one is free, and tells whether it did.
    pub(super) fn take(&mut self, id: BucketId) -> bool {
        if self.closed || self.in_use >= self.max_concurrent {
            return false;
        }
        let bucket = self.bucket_mut(id);
        if !bucket.has_room() {
            return false;
        }
        bucket.in_use += 1;
        self.in_use += 1;
        self.totals.acquired += 1;
        true
    }

    /// Takes a slot or a place in the queue.
    pub(super) fn enter(&mut self, id: BucketId, rank: i128) -> Result<Entry, Refusal> {
        if self.take(id) {
            return Ok(Entry::Slot);
        }
        if let Some(refusal) = self.refusal() {
            self.totals.rejected += 1;
            return Err(refusal);
        }
        let place = Place { rank, number: self.next_number };
        self.next_number += 1;
        self.waiting += 1;
        // The real waker comes with the first poll, which looks for a grant before it waits.
        self.bucket_mut(id).queue.insert(place, Waker::noop().clone());
        Ok(Entry::Queued(Ticket { bucket: id, place }))
    }

    /// Tells how it stands with a waiter; one that goes on waiting swaps its waker.
    pub(super) fn look(&mut self, ticket: Ticket, waker: &mut Waker) -> Standing {
        if let Some(kept) = self.bucket_mut(ticket.bucket).queue.get_mut(&ticket.place) {
            mem::swap(kept, waker);
            return Standing::Waiting;
        }
        if self.granted.remove(&ticket.place.number) {
            self.totals.acquired += 1;
            return Standing::Granted;
        }
        Standing::Closed
    }

    /// Lets a waiter go whose deadline passed.
    pub(super) fn expire(&mut self, ticket: Ticket) -> Departure {
        let departure = self.leave(ticket);
        match departure {
            Departure::Waiting(_) => self.totals.timeout += 1,
            Departure::Granted => self.totals.acquired += 1,
            Departure::Closed => {}
        }
        departure
    }

    /// Lets a waiter go; if it was given a slot, the caller has to use or vacate it.
    pub(super) fn leave(&mut self, ticket: Ticket) -> Departure {
        if let Some(waker) = self.bucket_mut(ticket.bucket).queue.remove(&ticket.place) {
            self.waiting -= 1;
            return Departure::Waiting(waker);
        }
        if self.granted.remove(&ticket.place.number) {
            Departure::Granted
        } else {
            Departure::Closed
        }
    }

    /// Frees a slot and gives it to the next waiter; returns whom to wake.
    pub(super) fn vacate(&mut self, id: BucketId) -> Option<Waker> {
        self.in_use -= 1;
        self.bucket_mut(id).in_use -= 1;
        self.grant_next()
    }

    /// Closes for good; returns those who waited, to be woken.
    pub(super) fn close(&mut self) -> Vec<Queue> {
        self.closed = true;
        self.totals.rejected += u64::try_from(self.waiting).unwrap_or(u64::MAX);
        self.waiting = 0;
        self.buckets_mut().map(|bucket| mem::take(&mut bucket.queue)).collect()
    }

    pub(super) fn metrics(&self) -> Metrics {
        Metrics {
            current_concurrent: self.in_use,
            queue_length: self.waiting,
            total_acquired: self.totals.acquired,
            total_rejected: self.totals.rejected,
            total_timeout: self.totals.timeout,
            avg_execution_time: 0.0,
        }
    }

    /// Returns how many of the slots in use belong to calls that were counted as served.
    pub(super) fn acquired_in_use(&self, in_use: usize) -> u64 {
        // A slot that a waiter has not picked up yet is in use and not counted.
        u64::try_from(in_use.saturating_sub(self.granted.len())).unwrap_or(u64::MAX)
    }

    /// Tells whether slots must go from hand to hand under the lock.
    pub(super) fn is_crowded(&self) -> bool {
        self.closed || self.waiting > 0
    }

    /// Returns the counters of the limited buckets, in their order.
    pub(super) fn bucket_metrics(&self) -> Vec<BucketMetrics> {
        self.limited.iter().map(Bucket::metrics).collect()
    }

    /// Gives a free slot to the waiter who is next among those whose bucket has room.
    ///
    /// One freed slot makes at most one waiter able to run: either all were held up by the global
    /// limit, or all by their own buckets and only the freed one has room.
    fn grant_next(&mut self) -> Option<Waker> {
        if self.waiting == 0 || self.in_use >= self.max_concurrent {
            return None;
        }
        let ready = self.buckets_mut().filter(|bucket| bucket.has_room());
        let (_, bucket) = ready
            .filter_map(|bucket| Some((*bucket.queue.first_key_value()?.0, bucket)))
            .min_by_key(|(place, _)| *place)?;
        let (place, waker) = bucket.queue.pop_first()?;
        bucket.in_use += 1;
        self.in_use += 1;
        self.waiting -= 1;
        self.granted.insert(place.number);
        Some(waker)
    }

    /// Says why a call that found no slot may not wait either.
    fn refusal(&self) -> Option<Refusal> {
        if self.closed {
            return Some(Refusal::Closed);
        }
        if self.strategy == Strategy::Reject {
            return Some(Refusal::Busy);
        }
        (self.waiting >= self.queue_size).then_some(Refusal::QueueFull)
    }

    /// Returns a bucket; every id that is none of the limited ones means the unlimited one.
    fn bucket_mut(&mut self, id: BucketId) -> &mut Bucket {
        match self.limited.get_mut(id.0) {
            Some(bucket) => bucket,
            None => &mut self.unlimited,
        }
    }

    fn buckets_mut(&mut self) -> impl Iterator<Item = &mut Bucket> {
        self.limited.iter_mut().chain([&mut self.unlimited])
    }
}

impl Bucket {
    fn new(limit: usize) -> Self {
        Self { limit, in_use: 0, queue: Queue::new() }
    }

    fn has_room(&self) -> bool {
        self.in_use < self.limit
    }

    fn metrics(&self) -> BucketMetrics {
        BucketMetrics { current: self.in_use, limit: self.limit, queue: self.queue.len() }
    }
}
