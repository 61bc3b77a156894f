//! Slots that lie ready for a thread, so that calls in quick succession need no lock.
//!
//! A slot that is given back while nobody waits stays with its thread, still counted as in use by
//! the state behind the lock. Whoever finds no free slot there marks the limiter as crowded and
//! then gathers what lies ready. A thread that puts a slot down looks for that mark afterwards. One
//! of the two therefore sees the other, and no slot is left lying while somebody waits for it.

use std::{
    sync::atomic::{
        AtomicBool, AtomicU64,
        Ordering::{Relaxed, SeqCst},
    },
    time::Duration,
};

use crate::lanes::{Lane, Lanes};

/// The slots that lie ready, and what was counted without the lock.
#[derive(Debug)]
pub(super) struct Spare {
    /// Whether slots must go through the lock: somebody waits, or the limiter is closed.
    crowded: Crowded,
    lanes: Lanes<Counts>,
}

/// Read by every call and written when the first waiter comes and the last goes.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Crowded(AtomicBool);

#[derive(Debug, Default)]
struct Counts {
    /// The slots that lie ready in the low 16 bits, and above them how many were picked up.
    slots: AtomicU64,
    held_nanos: AtomicU64,
}

/// One slot picked up, in the word of [`Counts::slots`].
const PICKED: u64 = 1 << 16;
const READY: u64 = PICKED - 1;

impl Spare {
    pub(super) fn new() -> Self {
        Self { crowded: Crowded::default(), lanes: Lanes::new(Counts::default) }
    }

    /// Picks up a slot of this thread, if one lies ready and nobody waits.
    pub(super) fn pick_up(&self) -> bool {
        if self.crowded.0.load(SeqCst) {
            return false;
        }
        let slots = &self.lanes.at(Lane::here()).slots;
        let pick = |word: u64| (word & READY > 0).then(|| word + PICKED - 1);
        slots.fetch_update(SeqCst, Relaxed, pick).is_ok()
    }

    /// Puts a slot down for this thread, and tells whether it is to be gathered again at once.
    ///
    /// Refuses when somebody waits or too many lie here: then the slot goes back through the lock.
    pub(super) fn put_down(&self) -> PutDown {
        let slots = &self.lanes.at(Lane::here()).slots;
        if self.crowded.0.load(SeqCst) || slots.load(Relaxed) & READY >= READY / 2 {
            return PutDown::Refused;
        }
        slots.fetch_add(1, SeqCst);
        if self.crowded.0.load(SeqCst) { PutDown::Wanted } else { PutDown::Kept }
    }

    /// Marks whether slots must go through the lock; only under the lock.
    pub(super) fn set_crowded(&self, crowded: bool) {
        // Most calls that take the lock change nothing here, and every other thread reads it.
        if self.crowded.0.load(Relaxed) != crowded {
            self.crowded.0.store(crowded, SeqCst);
        }
    }

    /// Takes every slot that lies ready anywhere; only under the lock.
    pub(super) fn gather(&self) -> usize {
        let taken = self.lanes.iter().map(|lane| {
            if lane.slots.load(SeqCst) & READY == 0 {
                return 0;
            }
            lane.slots.fetch_and(!READY, SeqCst) & READY
        });
        usize::try_from(taken.sum::<u64>()).unwrap_or(usize::MAX)
    }

    /// Counts the time for which a slot was held.
    pub(super) fn count_held(&self, held: Duration) {
        let nanos = u64::try_from(held.as_nanos()).unwrap_or(u64::MAX);
        self.lanes.at(Lane::here()).held_nanos.fetch_add(nanos, Relaxed);
    }

    /// Returns how many slots lie ready, how many were picked up, and how long slots were held.
    pub(super) fn totals(&self) -> (usize, u64, Duration) {
        let words = self.lanes.iter().map(|lane| lane.slots.load(SeqCst));
        let (ready, picked) = words
            .fold((0, 0), |(ready, picked), word| (ready + (word & READY), picked + word / PICKED));
        let held = self.lanes.iter().map(|lane| lane.held_nanos.load(Relaxed));
        let held = Duration::from_nanos(held.fold(0, u64::saturating_add));
        (usize::try_from(ready).unwrap_or(usize::MAX), picked, held)
    }
}

/// What became of a slot that was to be put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PutDown {
    /// It lies ready for this thread.
    Kept,
    /// It lies ready, and somebody has begun to wait meanwhile: gather it.
    Wanted,
    /// It does not: give it back through the lock.
    Refused,
}
