//! The records that wait for the writer, and how much memory their text takes.

use std::collections::VecDeque;

use tokio::sync::oneshot;
use toolsmith_core::Record;

/// A record on its way, and whoever waits for it to arrive.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) record: Record,
    pub(crate) receipt: Option<oneshot::Sender<()>>,
}

/// How much may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) records: usize,
    pub(crate) bytes: usize,
}

/// The records that wait, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    entries: VecDeque<Entry>,
    /// The text of all entries.
    bytes: usize,
    /// How many records the writer has taken and not yet settled, and their text.
    in_hand: usize,
    bytes_in_hand: usize,
}

impl Entry {
    /// Returns the size of the text that callers and tools decide on.
    fn bytes(&self) -> usize {
        let record = &self.record;
        record.tool_name.len()
            + record.params.as_str().len()
            + record.result.as_ref().map_or(0, |result| result.as_str().len())
            + record.error.as_ref().map_or(0, String::len)
    }
}

impl Limit {
    /// Returns half of it, rounded up.
    pub(crate) fn half(self) -> Self {
        Self { records: self.records.div_ceil(2), bytes: self.bytes.div_ceil(2) }
    }
}

impl Backlog {
    /// Returns how many records wait, those in the writer's hands included.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() + self.in_hand
    }

    /// Tells whether there is nothing to take.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Tells whether there are more records to take than that, or more text in memory.
    pub(crate) fn exceeds(&self, limit: Limit) -> bool {
        self.entries.len() > limit.records || self.bytes + self.bytes_in_hand > limit.bytes
    }

    /// Tells whether there is at least that much to take.
    pub(crate) fn reaches(&self, limit: Limit) -> bool {
        self.entries.len() >= limit.records || self.bytes >= limit.bytes
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
    }

    /// Takes up to that many, the oldest first; `spare` lends its memory.
    pub(crate) fn take(&mut self, at_most: usize, spare: VecDeque<Entry>) -> VecDeque<Entry> {
        let mut batch = spare;
        if self.entries.len() <= at_most {
            std::mem::swap(&mut batch, &mut self.entries);
            self.bytes_in_hand = self.bytes;
        } else {
            batch.extend(self.entries.drain(..at_most));
            self.bytes_in_hand = batch.iter().map(Entry::bytes).sum();
        }
        self.bytes -= self.bytes_in_hand;
        self.in_hand = batch.len();
        batch
    }

    /// Says that what was taken is written.
    pub(crate) fn settle(&mut self) {
        (self.in_hand, self.bytes_in_hand) = (0, 0);
    }

    /// Puts what was taken back where it was.
    pub(crate) fn put_back(&mut self, batch: &mut VecDeque<Entry>) {
        self.settle();
        for entry in batch.drain(..).rev() {
            self.bytes += entry.bytes();
            self.entries.push_front(entry);
        }
    }

    /// Gives the oldest up until the rest is within the limit; returns how many went.
    ///
    /// The newest stays, however large it is; what the writer has in hand is not counted.
    pub(crate) fn trim(&mut self, limit: Limit) -> usize {
        let before = self.entries.len();
        let is_over = |all: &Self| all.entries.len() > limit.records || all.bytes > limit.bytes;
        while self.entries.len() > 1 && is_over(self) {
            if let Some(oldest) = self.entries.pop_front() {
                self.bytes -= oldest.bytes();
            }
        }
        before - self.entries.len()
    }

    /// Takes the means to answer those who wait; their records stay.
    pub(crate) fn take_receipts(&mut self) -> Vec<oneshot::Sender<()>> {
        self.entries.iter_mut().filter_map(|entry| entry.receipt.take()).collect()
    }

    /// Gives memory back that only a burst needed.
    pub(crate) fn shrink(&mut self, capacity: usize) {
        self.entries.shrink_to(capacity);
    }
}
