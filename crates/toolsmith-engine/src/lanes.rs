//! What every call changes, apart for each thread.
//!
//! Two cores that write to one word wait for each other, longest where they share no cache. So
//! what is only summed up, or may be had from anywhere, is kept in several copies, and each thread
//! uses one of them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How many copies there are; threads beyond that share.
pub(crate) const LANES: usize = 8;

/// One copy for each lane, none sharing a cache line with another.
#[derive(Debug)]
pub struct Lanes<T>([Apart<T>; LANES]);

/// 128 bytes, because processors fetch lines in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// The lane of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane(usize);

impl Lane {
    /// Returns the lane of this thread.
    pub fn here() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        thread_local!(static MINE: usize = NEXT.fetch_add(1, Relaxed) % LANES);
        // A thread whose locals are gone already is about to end; any lane will do.
        Self(MINE.try_with(|mine| *mine).unwrap_or_default())
    }

    /// Returns what an array has for this lane.
    pub fn of<T>(self, array: &[T; LANES]) -> &T {
        // A lane is always one of those there are; the remainder proves it to the compiler.
        &array[self.0 % LANES]
    }
}

impl<T> Lanes<T> {
    /// Makes a copy for each lane.
    pub fn new(mut make: impl FnMut() -> T) -> Self {
        Self(std::array::from_fn(|_| Apart(make())))
    }

    /// Returns the copy of a lane.
    pub fn at(&self, lane: Lane) -> &T {
        &lane.of(&self.0).0
    }

    /// Returns every copy.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|lane| &lane.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_its_lane_and_the_next_thread_has_another() {
        let here = Lane::here();
        assert_eq!(Lane::here(), here);
        // Other tests start threads too, so one of a few is enough.
        let others = (0..4).map(|_| std::thread::spawn(Lane::here).join().unwrap());
        assert!(others.into_iter().any(|other| other != here));
    }
}
