//! Slots for calls: how many run at once, who waits for a slot, and who is next.
//!
//! One short lock guards counters and queues. Whenever it is free, no waiter could run: a slot that
//! is given back goes to the next waiter under the same lock. So whoever finds a free slot may take
//! it without looking at the queues, and overtakes nobody. While nobody waits, slots lie ready for
//! the threads that used them last, and most calls take no lock at all: see `spare`.

mod config;
mod metrics;
mod permit;
mod slots;
mod spare;
mod state;
#[cfg(test)]
mod tests;
mod waiting;

pub use self::{
    config::{LimiterConfig, Strategy},
    metrics::{BucketMetrics, Metrics},
    permit::Permit,
    slots::Limiter,
};

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
