//! The counters that a limiter shows.

use serde::Serialize;

/// The counters of a whole limiter.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// Slots in use, those among them that a waiter was given but has not picked up yet.
    pub current_concurrent: usize,
    /// Calls that wait.
    pub queue_length: usize,
    /// Calls that got a slot.
    pub total_acquired: u64,
    /// Calls that were refused: no slot, no place in the queue, or the limiter closed.
    pub total_rejected: u64,
    /// Calls whose deadline passed while they waited.
    pub total_timeout: u64,
    /// The mean time for which slots were held, in seconds; 0 before the first came back.
    pub avg_execution_time: f64,
}

/// The counters of one bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BucketMetrics {
    /// Slots in use.
    pub current: usize,
    /// How many slots may be in use.
    pub limit: usize,
    /// Calls that wait.
    pub queue: usize,
}
