//! Durations counted in a few buckets, as metrics show them.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

/// The longest duration of each bucket; what takes longer falls into one more.
pub const BOUNDS: [Duration; 16] = [
    Duration::from_micros(100),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_micros(2_500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2_500),
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_mins(5),
];

const BUCKETS: usize = BOUNDS.len() + 1;

/// Counts durations; one for each lane, so that threads do not wait for each other.
#[derive(Debug, Default)]
pub struct Durations {
    buckets: [AtomicU64; BUCKETS],
    nanos: AtomicU64,
}

impl Durations {
    /// Counts one.
    pub fn count(&self, duration: Duration) {
        if let Some(bucket) = self.buckets.get(bucket_of(duration)) {
            bucket.fetch_add(1, Relaxed);
        }
        self.nanos.fetch_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX), Relaxed);
    }

    /// Adds what was counted to a picture.
    pub fn spread(&self, into: &mut Spread) {
        for (sum, count) in into.buckets.iter_mut().zip(&self.buckets) {
            *sum += count.load(Relaxed);
        }
        into.total += Duration::from_nanos(self.nanos.load(Relaxed));
    }
}

/// How many durations fell into each bucket, and all of them together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// How many fell into the bucket of each of [`BOUNDS`], and how many took longer.
    pub buckets: [u64; BUCKETS],
    /// The sum of the durations.
    pub total: Duration,
}

impl Spread {
    /// Counts a duration so often; the sum is left to whoever knows it better.
    pub fn add(&mut self, duration: Duration, times: u64) {
        if let Some(bucket) = self.buckets.get_mut(bucket_of(duration)) {
            *bucket += times;
        }
    }

    /// Adds another picture to this one.
    pub fn merge(&mut self, other: &Self) {
        for (sum, count) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += count;
        }
        self.total += other.total;
    }

    /// Returns how many durations there were.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

fn bucket_of(duration: Duration) -> usize {
    BOUNDS.partition_point(|bound| *bound < duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_falls_into_the_first_bucket_that_holds_it() {
        let durations = Durations::default();
        for duration in [Duration::ZERO, BOUNDS[0], BOUNDS[1], Duration::from_hours(1)] {
            durations.count(duration);
        }
        let mut spread = Spread::default();
        durations.spread(&mut spread);
        assert_eq!((spread.buckets[0], spread.buckets[1], spread.buckets[16]), (2, 1, 1));
        assert_eq!((spread.count(), spread.total.as_secs()), (4, 3_600));
        assert!(BOUNDS.is_sorted());
    }
}
