//! How all calls went since the start, by door and by what came of them.

use std::{
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use toolsmith_core::{CallerType, ErrorKind};

use crate::{
    durations::{Durations, Spread},
    lanes::{Lane, Lanes},
};

const KINDS: usize = ErrorKind::ALL.len();
const DOORS: usize = CallerType::ALL.len();

/// Counts calls, apart for each thread.
#[derive(Debug)]
pub(crate) struct Tally(Lanes<[Share; DOORS]>);

#[derive(Debug, Default)]
struct Share {
    failures: [AtomicU64; KINDS],
    durations: Durations,
}

/// How the calls of one door went since the start.
#[derive(Clone, Debug)]
pub struct Tallied {
    /// The door.
    pub door: CallerType,
    /// Failed calls, in the order of [`ErrorKind::ALL`].
    pub failures: [u64; KINDS],
    /// How long all calls took.
    pub durations: Spread,
}

impl Tallied {
    /// Returns how many calls succeeded.
    pub fn successes(&self) -> u64 {
        self.durations.count().saturating_sub(self.failures.iter().sum())
    }

    fn is_used(&self) -> bool {
        self.durations.count() > 0
    }
}

impl Default for Tally {
    fn default() -> Self {
        Self(Lanes::new(Default::default))
    }
}

impl Tally {
    pub(crate) fn count(
        &self,
        lane: Lane,
        door: CallerType,
        error: Option<ErrorKind>,
        duration: Duration,
    ) {
        let place = CallerType::ALL.iter().position(|other| *other == door);
        let Some(share) = place.and_then(|place| self.0.at(lane).get(place)) else { return };
        share.durations.count(duration);
        if let Some(failures) = error.and_then(|kind| share.failures.get(place_of(kind))) {
            failures.fetch_add(1, Relaxed);
        }
    }

    /// Sums up the lanes, for the doors that were used.
    pub(crate) fn read(&self) -> Vec<Tallied> {
        let doors = CallerType::ALL.into_iter().enumerate();
        doors.map(|(place, door)| self.read_door(place, door)).filter(Tallied::is_used).collect()
    }

    fn read_door(&self, place: usize, door: CallerType) -> Tallied {
        let (mut failures, mut durations) = ([0; KINDS], Spread::default());
        for share in self.0.iter().filter_map(|lane| lane.get(place)) {
            for (sum, count) in failures.iter_mut().zip(&share.failures) {
                *sum += count.load(Relaxed);
            }
            share.durations.spread(&mut durations);
        }
        Tallied { door, failures, durations }
    }
}

/// Returns where a kind of error stands among all of them.
pub(crate) fn place_of(kind: ErrorKind) -> usize {
    ErrorKind::ALL.iter().position(|other| *other == kind).unwrap_or(KINDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_several_threads_add_up() {
        let tally = Tally::default();
        let second = Duration::from_secs(1);
        std::thread::scope(|scope| {
            for error in [None, Some(ErrorKind::Timeout)] {
                let tally = &tally;
                scope.spawn(move || {
                    tally.count(Lane::here(), CallerType::Http, error, second);
                });
            }
        });
        let read = tally.read();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].door, CallerType::Http);
        assert_eq!((read[0].successes(), read[0].failures.iter().sum()), (1, 1_u64));
        assert_eq!(read[0].failures[place_of(ErrorKind::Timeout)], 1);
        assert_eq!(read[0].durations.total, 2 * second);
    }
}
