//! Durations in classes: what percentiles are read from.
//!
//! Sixteen classes for each doubling, so that a percentile is at most about 3 % off. The classes
//! are shared by the counters in memory and the sums in the store, so that both say the same.

use std::time::Duration;

/// Classes for each doubling of the duration, as a power of two.
const BITS: u32 = 4;

/// How many classes there are: the last one holds a day and a half, and all that is longer.
pub const CLASSES: usize = 640;

/// Returns the class of a duration.
pub fn class_of(duration: Duration) -> usize {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    // The first 16 classes hold one value each, in units of 16 ns: finer is noise.
    let units = nanos >> 4;
    if units < 1 << BITS {
        return usize::try_from(units).unwrap_or(0);
    }
    let doubling = units.ilog2() - BITS;
    let within = (units >> doubling) & ((1 << BITS) - 1);
    let class = (u64::from(doubling + 1) << BITS) + within;
    usize::try_from(class).unwrap_or(usize::MAX).min(CLASSES - 1)
}

/// Returns the duration in the middle of a class.
pub fn middle_of(class: usize) -> Duration {
    let class = u64::try_from(class.min(CLASSES - 1)).unwrap_or(0);
    let (low, width) = if class < 1 << BITS {
        (class, 1)
    } else {
        let doubling = (class >> BITS) - 1;
        let within = class & ((1 << BITS) - 1);
        (((1 << BITS) + within) << doubling, 1 << doubling)
    };
    Duration::from_nanos((low << 4) + (width << 3))
}

/// Returns the durations below which the given shares (0 to 1) of all counts lie.
///
/// `counts` are pairs of a class and how many durations fell into it, in ascending order.
pub fn percentiles<const N: usize>(counts: &[(usize, u64)], shares: [f64; N]) -> [Duration; N] {
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    shares.map(|share| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a rank among counts that are far below 2^52"
        )]
        let rank = ((total as f64) * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        let reached = counts.iter().find(|(_, count)| {
            seen += count;
            seen >= rank
        });
        reached.map_or(Duration::ZERO, |(class, _)| middle_of(*class))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_middle_of_a_class_is_near_every_duration_in_it(nanos in 1_000_u64..100_000_000_000_000) {
            let duration = Duration::from_nanos(nanos);
            let middle = middle_of(class_of(duration));
            let off = middle.abs_diff(duration).div_duration_f64(duration);
            prop_assert!(off < 0.033, "{nanos} {middle:?}");
        }

        #[test]
        fn longer_durations_never_have_a_lower_class(a in any::<u64>(), b in any::<u64>()) {
            let (short, long) = (a.min(b), a.max(b));
            prop_assert!(
                class_of(Duration::from_nanos(short)) <= class_of(Duration::from_nanos(long))
            );
        }
    }

    #[test]
    fn percentiles_of_a_hundred_even_steps_are_where_they_should_be() {
        let mut counts = std::collections::BTreeMap::new();
        for ms in 1..=100 {
            *counts.entry(class_of(Duration::from_millis(ms))).or_insert(0) += 1;
        }
        let counts: Vec<_> = counts.into_iter().collect();
        let [p50, p99] = percentiles(&counts, [0.5, 0.99]);
        assert!((48..=52).contains(&p50.as_millis()), "{p50:?}");
        assert!((95..=103).contains(&p99.as_millis()), "{p99:?}");
        assert_eq!(percentiles(&[], [0.5]), [Duration::ZERO]);
    }
}
