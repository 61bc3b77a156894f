//! A clock that stands still until a test turns it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use toolsmith_core::{Clock, Timestamp};

/// Midnight of 1 January 2026, UTC, in milliseconds: a moment that reads well in snapshots.
const START: i64 = 1_767_225_600_000;

/// A clock turned by hand; clones show the same time.
#[derive(Clone, Debug)]
pub struct TestClock {
    micros: Arc<AtomicI64>,
}

impl TestClock {
    /// Starts at midnight of 1 January 2026, UTC.
    pub fn new() -> Self {
        Self::at(Timestamp::from_millis(START))
    }

    /// Starts at a moment.
    pub fn at(moment: Timestamp) -> Self {
        Self { micros: Arc::new(AtomicI64::new(moment.as_micros())) }
    }

    /// Turns the clock forward.
    pub fn advance(&self, duration: Duration) {
        let later = |micros| Some(Timestamp::from_micros(micros).plus(duration).as_micros());
        // The closure always gives a value, so there is no failure to look at.
        self.micros.fetch_update(Ordering::SeqCst, Ordering::SeqCst, later).ok();
    }

    /// Turns the clock to a moment, back too, as real clocks do when they are corrected.
    pub fn set(&self, moment: Timestamp) {
        self.micros.store(moment.as_micros(), Ordering::SeqCst);
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.micros.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_when_the_clock_is_turned() {
        let clock = TestClock::new();
        assert_eq!(clock.now().to_string(), "2026-01-01T00:00:00.000Z");
        assert_eq!(clock.now(), clock.now());
        clock.advance(Duration::from_millis(1_500));
        assert_eq!(clock.now().to_string(), "2026-01-01T00:00:01.500Z");
    }

    #[test]
    fn clones_show_the_same_time_and_can_be_turned_back() {
        let clock = TestClock::new();
        let other = clock.clone();
        other.set(Timestamp::from_millis(7));
        assert_eq!(clock.now().as_millis(), 7);
    }
}
