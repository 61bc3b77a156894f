//! Tools that run alone: one gate for each conversation.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use foldhash::quality::RandomState;
use parking_lot::Mutex;
use tokio::{
    sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock},
    time::{Instant, timeout_at},
};
use toolsmith_core::Text;

/// How many tables the conversations are spread over, so that they seldom meet at a lock.
const TABLES: usize = 16;

/// The conversations in which a call runs or waits.
#[derive(Debug)]
pub(crate) struct Gates {
    tables: [Table; TABLES],
    /// How many calls wait at gates, and how many may.
    waiting: AtomicUsize,
    most_waiting: usize,
}

/// Why a call did not get inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateRefusal {
    Timeout,
    QueueFull,
}

/// Each table stands in a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Table(Mutex<HashMap<Text, Arc<RwLock<()>>, RandomState>>);

/// Whether a call may run beside others of its conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Company {
    Beside,
    Alone,
}

/// A place inside a gate; the next one may enter when it is dropped.
#[derive(Debug)]
pub(crate) struct Inside<'a> {
    table: &'a Table,
    conversation: Text,
    place: Option<Place>,
}

#[derive(Debug)]
#[expect(dead_code, reason = "the guards are held for their drop")]
enum Place {
    Beside(OwnedRwLockReadGuard<()>),
    Alone(OwnedRwLockWriteGuard<()>),
}

impl Gates {
    pub(crate) fn new(most_waiting: usize) -> Self {
        Self { tables: Default::default(), waiting: AtomicUsize::new(0), most_waiting }
    }

    /// Returns how many calls wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(SeqCst)
    }

    /// Waits for a place, in the order of arrival.
    pub(crate) async fn enter(
        &self,
        conversation: &Text,
        company: Company,
        deadline: Instant,
    ) -> Result<Inside<'_>, GateRefusal> {
        let table = self.table_of(conversation);
        let gate = Arc::clone(table.0.lock().entry(conversation.clone()).or_default());
        let mut inside = Inside { table, conversation: conversation.clone(), place: None };
        inside.place = match company.try_enter(&gate) {
            Some(place) => Some(place),
            None => {
                let _waiting = self.begin_waiting()?;
                let place = timeout_at(deadline, company.enter(gate)).await;
                Some(place.map_err(|_| GateRefusal::Timeout)?)
            }
        };
        Ok(inside)
    }

    fn begin_waiting(&self) -> Result<Waiting<'_>, GateRefusal> {
        let before = self.waiting.fetch_add(1, SeqCst);
        let waiting = Waiting(self);
        if before >= self.most_waiting { Err(GateRefusal::QueueFull) } else { Ok(waiting) }
    }

    /// Spreads conversations by the end of their names, where names of one maker differ.
    fn table_of(&self, conversation: &Text) -> &Table {
        let end = conversation.bytes().rev().take(8);
        let sum = end.fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
        &self.tables[sum % TABLES]
    }
}

impl Company {
    fn try_enter(self, gate: &Arc<RwLock<()>>) -> Option<Place> {
        let gate = Arc::clone(gate);
        match self {
            Self::Beside => gate.try_read_owned().ok().map(Place::Beside),
            Self::Alone => gate.try_write_owned().ok().map(Place::Alone),
        }
    }

    async fn enter(self, gate: Arc<RwLock<()>>) -> Place {
        match self {
            Self::Beside => Place::Beside(gate.read_owned().await),
            Self::Alone => Place::Alone(gate.write_owned().await),
        }
    }
}

/// One call that waits at a gate.
struct Waiting<'a>(&'a Gates);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, SeqCst);
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // The guard holds the gate, so it goes first; then the map holds the last reference.
        self.place = None;
        let mut gates = self.table.0.lock();
        if gates.get(&self.conversation).is_some_and(|gate| Arc::strong_count(gate) == 1) {
            gates.remove(&self.conversation);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_empty_gate_is_forgotten_also_after_somebody_gave_up() {
        let gates = Gates::new(1);
        let conversation = Text::from("c");
        let soon = || Instant::now() + Duration::from_secs(1);
        let inside = gates.enter(&conversation, Company::Alone, soon()).await.unwrap();
        let late = gates.enter(&conversation, Company::Beside, soon()).await;
        assert_eq!(late.unwrap_err(), GateRefusal::Timeout);
        assert_eq!(gates.waiting(), 0);
        assert_eq!(gates.table_of(&conversation).0.lock().len(), 1);
        drop(inside);
        assert_eq!(gates.table_of(&conversation).0.lock().len(), 0);
    }
}
