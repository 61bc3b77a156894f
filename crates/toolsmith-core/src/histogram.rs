//! Durations in buckets, so that percentiles need no records.
//!
//! The counters in memory and the sums in the store use the same buckets, so that both say the same.
//!
//! Each power of two is cut into 32 equal buckets (a log-linear histogram, as HDR histograms are):
//! whatever the duration, its bucket's middle is less than 1.6 % away.

use std::time::Duration;

/// How many bits of a duration a bucket keeps behind the leading one.
const PRECISION: u32 = 5;
const BUCKETS_PER_OCTAVE: u64 = 1 << PRECISION;

/// How many buckets a counter needs that takes everything above a day and a half for the same.
pub const COMMON_BUCKETS: usize = 1_408;

/// Returns the bucket of a duration.
pub fn bucket_of(duration: Duration) -> u16 {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    // Below this the buckets are single nanoseconds.
    if nanos < BUCKETS_PER_OCTAVE {
        return u16::try_from(nanos).unwrap_or(u16::MAX);
    }
    let shift = nanos.ilog2() - PRECISION;
    let octave = u64::from(shift + 1) * BUCKETS_PER_OCTAVE;
    let within = (nanos >> shift) - BUCKETS_PER_OCTAVE;
    u16::try_from(octave + within).unwrap_or(u16::MAX)
}

/// Returns the duration in the middle of a bucket.
pub fn middle_of(bucket: u16) -> Duration {
    let bucket = u64::from(bucket);
    if bucket < BUCKETS_PER_OCTAVE {
        return Duration::from_nanos(bucket);
    }
    let shift = bucket / BUCKETS_PER_OCTAVE - 1;
    let start = u128::from(bucket % BUCKETS_PER_OCTAVE + BUCKETS_PER_OCTAVE) << shift.min(64);
    let middle = start + (1 << shift.min(64)) / 2;
    Duration::from_nanos(u64::try_from(middle).unwrap_or(u64::MAX))
}

/// How often each bucket was met, in the order of the buckets.
#[derive(Clone, Debug, Default)]
pub struct Histogram(Vec<(u16, u64)>);

impl Histogram {
    /// Adds a bucket that is greater than those before.
    pub fn push(&mut self, bucket: u16, count: u64) {
        self.0.push((bucket, count));
    }

    /// Returns the duration that `percent` of the calls did not exceed (nearest rank).
    pub fn percentile(&self, percent: u64) -> Duration {
        let total: u64 = self.0.iter().map(|&(_, count)| count).sum();
        let rank = (total * percent).div_ceil(100).max(1);
        let mut passed = 0;
        for &(bucket, count) in &self.0 {
            passed += count;
            if passed >= rank {
                return middle_of(bucket);
            }
        }
        Duration::ZERO
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "tests compare to within percents")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_bucket_is_never_more_than_three_percent_off(nanos in 0..u64::MAX) {
            let middle = middle_of(bucket_of(Duration::from_nanos(nanos)));
            let off = (middle.as_nanos() as f64 - nanos as f64).abs();
            prop_assert!(off <= nanos as f64 * 0.03, "{nanos} became {middle:?}");
        }

        #[test]
        fn longer_durations_never_have_smaller_buckets(a in 0..u64::MAX, b in 0..u64::MAX) {
            let (short, long) = (a.min(b), a.max(b));
            let bucket = |nanos| bucket_of(Duration::from_nanos(nanos));
            prop_assert!(bucket(short) <= bucket(long));
        }
    }

    #[test]
    fn percentiles_are_those_of_the_nearest_rank() {
        let mut histogram = Histogram::default();
        for millis in 1..=100 {
            histogram.push(bucket_of(Duration::from_millis(millis)), 1);
        }
        for percent in [1, 50, 95, 99, 100] {
            let found = histogram.percentile(percent).as_secs_f64() * 1_000.0;
            let expected = percent as f64;
            assert!((found - expected).abs() <= expected * 0.03, "p{percent} is {found}");
        }
    }

    #[test]
    fn without_calls_every_percentile_is_zero() {
        assert_eq!(Histogram::default().percentile(99), Duration::ZERO);
    }
}
