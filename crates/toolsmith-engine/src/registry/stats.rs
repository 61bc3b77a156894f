//! How the calls of each tool went.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use serde::Serialize;
use toolsmith_core::histogram::{COMMON_BUCKETS, Histogram, bucket_of};

use super::Entry;

/// The counters of one tool; made on its first call.
#[derive(Debug)]
pub(crate) struct Stats {
    failures: AtomicU64,
    total_nanos: AtomicU64,
    buckets: Box<[AtomicU32; COMMON_BUCKETS]>,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            failures: AtomicU64::new(0),
            total_nanos: AtomicU64::new(0),
            buckets: Box::new([const { AtomicU32::new(0) }; COMMON_BUCKETS]),
        }
    }
}

impl Stats {
    /// Counts one call.
    pub(crate) fn count(&self, duration: Duration, is_success: bool) {
        let bucket = usize::from(bucket_of(duration)).min(COMMON_BUCKETS - 1);
        self.buckets[bucket].fetch_add(1, Relaxed);
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.total_nanos.fetch_add(nanos, Relaxed);
        if !is_success {
            self.failures.fetch_add(1, Relaxed);
        }
    }

    fn read(&self) -> ToolStats {
        let (mut histogram, mut count) = (Histogram::default(), 0);
        for (bucket, calls) in (0..).zip(self.buckets.iter()) {
            let calls = u64::from(calls.load(Relaxed));
            if calls > 0 {
                histogram.push(bucket, calls);
                count += calls;
            }
        }
        let total = Duration::from_nanos(self.total_nanos.load(Relaxed));
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let avg_ms = if count == 0 { 0.0 } else { millis(total) / count as f64 };
        let [p50, p95, p99] = [50, 95, 99].map(|percent| millis(histogram.percentile(percent)));
        ToolStats { count, failures: self.failures.load(Relaxed), avg_ms, p50, p95, p99 }
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// How the calls of one tool went since the start; durations in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ToolStats {
    /// How many calls there were.
    pub count: u64,
    /// How many of them failed.
    pub failures: u64,
    /// The mean duration.
    pub avg_ms: f64,
    /// Half of the calls took no longer.
    #[serde(rename = "p50_ms")]
    pub p50: f64,
    /// 95 % of the calls took no longer.
    #[serde(rename = "p95_ms")]
    pub p95: f64,
    /// 99 % of the calls took no longer.
    #[serde(rename = "p99_ms")]
    pub p99: f64,
}

/// How many tools there are, and how their calls went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// How many tools there are.
    pub total: usize,
    /// How many of each category.
    pub by_category: BTreeMap<String, usize>,
    /// How the calls went, for the tools that were called.
    pub calls: BTreeMap<String, ToolStats>,
}

impl Totals {
    pub(super) fn of(entries: &[Arc<Entry>]) -> Self {
        let mut totals = Self { total: entries.len(), ..Self::default() };
        for entry in entries {
            *totals.by_category.entry(entry.spec.category.to_string()).or_default() += 1;
            if let Some(stats) = entry.stats.get() {
                totals.calls.insert(entry.spec.name.to_string(), stats.read());
            }
        }
        totals
    }
}
