//! How the store is doing, in words for people and in numbers for metrics.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use serde::Serialize;

/// Whether records reach the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Health {
    /// Records are written as promised.
    Good,
    /// The store cannot write; it keeps records in memory and tries again.
    Failing {
        /// How many records wait in memory.
        unwritten: u64,
        /// How many records were given up since the store was opened.
        lost: u64,
        /// Why it cannot write.
        reason: String,
    },
    /// The store could not write for a while and has caught up.
    Recovered {
        /// How many records were written late.
        written: u64,
    },
}

/// What the record path has done since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoreMetrics {
    /// Records that wait for the writer at this moment.
    pub queued: u64,
    /// Records on disk.
    pub written: u64,
    /// Records that wait because the store cannot write.
    pub unwritten: u64,
    /// Records that were given up.
    pub lost: u64,
    /// Callers that had to wait because the queue was full.
    pub waited: u64,
    /// Transactions that carried records.
    pub batches: u64,
    /// How long the writer has been at work.
    pub writer_busy: Duration,
}

/// What the writer counts while others read.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    written: AtomicU64,
    batches: AtomicU64,
    lost: AtomicU64,
    busy_nanos: AtomicU64,
}

impl Counters {
    pub(crate) fn wrote(&self, records: usize) {
        self.written.fetch_add(records as u64, Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn gave_up(&self, records: usize) {
        self.lost.fetch_add(records as u64, Ordering::Relaxed);
    }

    pub(crate) fn was_busy(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.busy_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Fills in what the counters know; the queue knows the rest.
    pub(crate) fn metrics(&self) -> StoreMetrics {
        StoreMetrics {
            written: self.written.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            lost: self.lost(),
            writer_busy: Duration::from_nanos(self.busy_nanos.load(Ordering::Relaxed)),
            ..StoreMetrics::default()
        }
    }
}
