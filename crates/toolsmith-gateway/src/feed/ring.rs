//! The latest events, each written once, within bounds of count and size.

use std::{collections::VecDeque, fmt, str::FromStr, sync::Arc};

use toolsmith_core::{Event, Timestamp};
use toolsmith_engine::Heard;

/// How many events are kept, and how many bytes of them.
const MOST: usize = 8_192;
const MOST_BYTES: usize = 16 << 20;

/// The latest events.
#[derive(Debug, Default)]
pub(super) struct Ring {
    /// Tells one run of writing down from another, whose numbers mean something else.
    run: u64,
    /// The number of the entry that comes next.
    next: u64,
    entries: VecDeque<Entry>,
    bytes: usize,
}

/// A place in the ring: everything before it has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    run: u64,
    number: u64,
}

#[derive(Clone, Debug)]
enum Entry {
    Event(Arc<Event>, Arc<str>),
    /// The writer itself could not keep up.
    Gap(u64),
}

/// What a listener is told.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// An event, its text, and the place behind it.
    Event(Arc<Event>, Arc<str>, Place),
    /// Events are lost to it; how many, where that is known.
    Missed(Option<u64>),
}

impl Ring {
    /// Begins a new run; nothing of an earlier one is left.
    pub(super) fn begin(&mut self, now: Timestamp) {
        self.run = now.as_micros().unsigned_abs().max(self.run + 1);
        self.next = 1;
        self.clear();
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    /// Returns the place behind the last entry.
    pub(super) fn end(&self) -> Place {
        Place { run: self.run, number: self.next }
    }

    pub(super) fn push(&mut self, heard: Heard) {
        let entry = match heard {
            Heard::Event(event) => {
                let text = serde_json::to_string(&*event).unwrap_or_default();
                self.bytes += text.len();
                Entry::Event(event, text.into())
            }
            Heard::Missed(count) => Entry::Gap(count),
        };
        self.entries.push_back(entry);
        self.next += 1;
        while self.entries.len() > MOST || self.bytes > MOST_BYTES {
            match self.entries.pop_front() {
                Some(Entry::Event(_, text)) => self.bytes -= text.len(),
                Some(Entry::Gap(_)) => {}
                None => break,
            }
        }
    }

    /// Returns what stands behind a place, at most so much, and the place behind that.
    pub(super) fn after(&self, place: Place, most: usize) -> (Vec<Told>, Place) {
        let first = self.next - self.entries.len() as u64;
        if place.run != self.run || place.number > self.next {
            // Of another run nobody knows how much came after it.
            return (vec![Told::Missed(None)], Place { run: self.run, number: first });
        }
        let mut told = Vec::new();
        if place.number < first {
            told.push(Told::Missed(Some(first - place.number)));
        }
        let begin = place.number.max(first);
        let skipped = usize::try_from(begin - first).unwrap_or(usize::MAX);
        let mut behind = Place { run: self.run, number: begin };
        for entry in self.entries.iter().skip(skipped).take(most) {
            behind.number += 1;
            told.push(match entry {
                Entry::Event(event, text) => {
                    Told::Event(Arc::clone(event), Arc::clone(text), behind)
                }
                Entry::Gap(count) => Told::Missed(Some(*count)),
            });
        }
        (told, behind)
    }
}

impl Place {
    pub(super) fn number(self) -> u64 {
        self.number
    }

    /// Returns a place of which nobody knows what came after it.
    pub(crate) fn unknown() -> Self {
        Self { run: 0, number: 0 }
    }
}

/// The form of `Last-Event-ID`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{}", self.run, self.number)
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (run, number) = text.split_once('-').ok_or(())?;
        let run = u64::from_str_radix(run, 16).map_err(|_| ())?;
        Ok(Self { run, number: number.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{EventKind, Value, json};

    use super::*;

    fn event(id: u64, data: Value) -> Heard {
        let kind = EventKind::ToolAdded;
        let time = Timestamp::from_millis(1);
        let (tool_name, call_id, origin) = (None, None, None);
        Heard::Event(Arc::new(Event { id, kind, time, tool_name, call_id, data, origin }))
    }

    fn ring() -> Ring {
        let mut ring = Ring::default();
        ring.begin(Timestamp::from_millis(5));
        ring
    }

    /// Reads to the end, and returns the ids of events and the counts of what is missed.
    fn read(ring: &Ring, mut place: Place) -> (Vec<u64>, Vec<Option<u64>>) {
        let (mut ids, mut missed) = (Vec::new(), Vec::new());
        loop {
            let (told, next) = ring.after(place, 3);
            if told.is_empty() {
                return (ids, missed);
            }
            place = next;
            for told in told {
                match told {
                    Told::Event(event, _, _) => ids.push(event.id),
                    Told::Missed(count) => missed.push(count),
                }
            }
        }
    }

    #[test]
    fn a_place_is_read_on_from_wherever_it_is() {
        let mut ring = ring();
        let start = ring.end();
        (1..=10).for_each(|id| ring.push(event(id, json!({}))));
        assert_eq!(read(&ring, start), ((1..=10).collect(), vec![]));
        let (told, _) = ring.after(start, 4);
        let Some(Told::Event(_, _, place)) = told.last() else { panic!("{told:?}") };
        let again: Place = place.to_string().parse().unwrap();
        assert_eq!(read(&ring, again).0, (5..=10).collect::<Vec<_>>());
    }

    #[test]
    fn what_fell_out_of_the_ring_is_counted() {
        let mut ring = ring();
        let start = ring.end();
        (1..=MOST as u64 + 7).for_each(|id| ring.push(event(id, json!({}))));
        let (ids, missed) = read(&ring, start);
        assert_eq!((ids.len(), ids[0], missed), (MOST, 8, vec![Some(7)]));
        let mut ring = self::ring();
        (1..=40).for_each(|id| ring.push(event(id, json!("x".repeat(1 << 20)))));
        assert!(ring.bytes <= MOST_BYTES && !ring.entries.is_empty());
    }

    #[test]
    fn a_place_of_another_run_is_told_that_something_is_missing() {
        let mut ring = ring();
        let old = ring.end();
        ring.begin(Timestamp::from_millis(5));
        ring.push(event(1, json!({})));
        for place in [old, Place::unknown(), Place { number: 99, ..ring.end() }] {
            assert_eq!(read(&ring, place), (vec![1], vec![None]));
        }
    }
}
