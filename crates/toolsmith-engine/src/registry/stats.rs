//! How the calls of each tool went.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use serde::Serialize;
use toolsmith_core::{
    ErrorKind, Text,
    histogram::{COMMON_BUCKETS, Histogram, bucket_of, middle_of},
};

use super::Entry;
use crate::{
    durations::Spread,
    lanes::{LANES, Lane},
    tally::place_of,
};

/// The counters of one tool, made on its first call: one share for each lane that calls it.
///
/// They stand in cache lines of their own: the allocator would put them beside what one thread
/// allocates for every call, and the others would wait for that thread's writes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Stats([OnceLock<Box<Share>>; LANES]);

#[derive(Debug)]
#[repr(align(128))]
struct Share {
    /// Failed calls by the kind of their error.
    failures: [AtomicU64; ErrorKind::ALL.len()],
    total_nanos: AtomicU64,
    /// Calls by duration, in rows that are made when they are needed: one tool's calls take about
    /// as long as each other, so it has a few rows of the many.
    rows: [OnceLock<Box<Row>>; ROWS],
}

/// Neighbouring buckets of durations.
type Row = [AtomicU64; WIDTH];

const WIDTH: usize = 32;
const ROWS: usize = COMMON_BUCKETS.div_ceil(WIDTH);

impl Default for Share {
    fn default() -> Self {
        let rows = [const { OnceLock::new() }; ROWS];
        Self { failures: Default::default(), total_nanos: AtomicU64::new(0), rows }
    }
}

impl Share {
    fn count(&self, bucket: usize) {
        let row = self.rows.get(bucket / WIDTH).map(|row| row.get_or_init(Box::default));
        if let Some(place) = row.and_then(|row| row.get(bucket % WIDTH)) {
            place.fetch_add(1, Relaxed);
        }
    }

    /// Adds the calls to a coarser picture; a bucket on its border counts by its middle.
    fn spread(&self, into: &mut Spread) {
        for (index, row) in self.rows.iter().enumerate() {
            for (place, calls) in row.get().into_iter().flat_map(|row| row.iter().enumerate()) {
                let bucket = u16::try_from(index * WIDTH + place).unwrap_or(u16::MAX);
                into.add(middle_of(bucket), calls.load(Relaxed));
            }
        }
    }

    fn calls(&self, bucket: usize) -> u64 {
        let row = self.rows.get(bucket / WIDTH).and_then(OnceLock::get);
        row.and_then(|row| row.get(bucket % WIDTH)).map_or(0, |place| place.load(Relaxed))
    }
}

impl Stats {
    /// Counts one call.
    pub(crate) fn count(&self, duration: Duration, error: Option<ErrorKind>) {
        let share = Lane::here().of(&self.0).get_or_init(Box::default);
        let bucket = usize::from(bucket_of(duration)).min(COMMON_BUCKETS - 1);
        share.count(bucket);
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        share.total_nanos.fetch_add(nanos, Relaxed);
        if let Some(failures) = error.and_then(|kind| share.failures.get(place_of(kind))) {
            failures.fetch_add(1, Relaxed);
        }
    }

    fn shares(&self) -> impl Iterator<Item = &Share> {
        self.0.iter().filter_map(|share| share.get().map(AsRef::as_ref))
    }
}

/// Sums up the counters of all versions of a tool.
fn read(versions: &[&Stats]) -> ToolStats {
    let shares: Vec<&Share> = versions.iter().flat_map(|stats| stats.shares()).collect();
    let (mut histogram, mut count) = (Histogram::default(), 0);
    for bucket in 0..COMMON_BUCKETS {
        let calls: u64 = shares.iter().map(|share| share.calls(bucket)).sum();
        if calls > 0 {
            histogram.push(u16::try_from(bucket).unwrap_or(u16::MAX), calls);
            count += calls;
        }
    }
    let total = total_of(&shares);
    let failures = shares.iter().flat_map(|share| &share.failures);
    let failures = failures.map(|count| count.load(Relaxed)).sum();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let avg_ms = if count == 0 { 0.0 } else { millis(total) / count as f64 };
    let [p50, p95, p99] = [50, 95, 99].map(|percent| millis(histogram.percentile(percent)));
    ToolStats { count, failures, avg_ms, p50, p95, p99 }
}

fn total_of(shares: &[&Share]) -> Duration {
    let nanos = shares.iter().map(|share| share.total_nanos.load(Relaxed));
    Duration::from_nanos(nanos.sum())
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

/// How the calls of a tool went since the start, for metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalledTool {
    /// The tool.
    pub name: Text,
    /// Failed calls, in the order of [`ErrorKind::ALL`].
    pub failures: [u64; ErrorKind::ALL.len()],
    /// How long all calls took.
    pub durations: Spread,
}

impl CalledTool {
    /// Returns how many calls succeeded.
    pub fn successes(&self) -> u64 {
        self.durations.count().saturating_sub(self.failures.iter().sum())
    }

    /// Reads the counters of all versions of all tools that were called, given by name.
    pub(super) fn all(entries: &[Arc<Entry>]) -> Vec<Self> {
        let families = entries.chunk_by(|a, b| a.spec.name == b.spec.name);
        families.filter_map(Self::of).collect()
    }

    fn of(versions: &[Arc<Entry>]) -> Option<Self> {
        let counted = versions.iter().filter_map(|entry| entry.stats.get());
        let shares: Vec<&Share> = counted.flat_map(|stats| stats.shares()).collect();
        let name = versions.first().filter(|_| !shares.is_empty())?.spec.name.text().clone();
        let mut called = Self { name, ..Self::default() };
        called.durations.total = total_of(&shares);
        for share in shares {
            for (sum, count) in called.failures.iter_mut().zip(&share.failures) {
                *sum += count.load(Relaxed);
            }
            share.spread(&mut called.durations);
        }
        Some(called)
    }
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
    /// Sums up all versions of all tools, given by name.
    pub(super) fn of(entries: &[Arc<Entry>]) -> Self {
        let mut totals = Self::default();
        for versions in entries.chunk_by(|a, b| a.spec.name == b.spec.name) {
            let Some(newest) = versions.first() else { continue };
            totals.total += 1;
            *totals.by_category.entry(newest.spec.category.to_string()).or_default() += 1;
            let counted = versions.iter().filter_map(|entry| entry.stats.get().map(AsRef::as_ref));
            let counted: Vec<&Stats> = counted.collect();
            if !counted.is_empty() {
                totals.calls.insert(newest.spec.name.to_string(), read(&counted));
            }
        }
        totals
    }
}
