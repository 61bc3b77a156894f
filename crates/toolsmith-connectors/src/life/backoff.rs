//! How long something that failed is left alone before it is started again.

use std::time::Duration;

use tokio::time::Instant;

/// How long it must have run for its end to be no failure in a row.
const LONG: Duration = Duration::from_mins(1);

/// How many failures in a row are followed by a new start at once.
const FREE: u32 = 2;

/// The longest rest.
const LONGEST: Duration = Duration::from_mins(1);

/// Counts failures in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    rests_until: Option<Instant>,
}

impl Backoff {
    /// Counts a failure of something that had run for so long.
    pub(crate) fn note_failure(&mut self, ran: Duration) {
        self.failures = if ran >= LONG { 1 } else { self.failures.saturating_add(1) };
        let rest = match self.failures.checked_sub(FREE + 1) {
            None => Duration::ZERO,
            Some(more) => Duration::from_secs(1_u64 << more.min(6)).min(LONGEST),
        };
        self.rests_until = Some(Instant::now() + rest);
    }

    /// Returns how long it still rests; nothing when it may be started.
    pub(crate) fn rest(&self) -> Option<Duration> {
        let left = self.rests_until?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// Returns how many failures there were in a row.
    pub(crate) fn failures(&self) -> u32 {
        self.failures
    }

    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_are_followed_by_longer_rests() {
        let mut backoff = Backoff::default();
        let mut rests = Vec::new();
        for _ in 0..10 {
            backoff.note_failure(Duration::ZERO);
            rests.push(backoff.rest().map_or(0, |rest| rest.as_secs()));
        }
        assert_eq!(rests, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
        backoff.note_failure(LONG);
        assert_eq!((backoff.rest(), backoff.failures()), (None, 1));
    }
}
