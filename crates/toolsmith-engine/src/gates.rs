//! Tools that run alone: one gate for each conversation.

use std::{collections::HashMap, sync::Arc};

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
#[derive(Debug, Default)]
pub(crate) struct Gates([Table; TABLES]);

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
    /// Waits for a place, in the order of arrival; nothing when the deadline passes first.
    pub(crate) async fn enter(
        &self,
        conversation: &Text,
        company: Company,
        deadline: Instant,
    ) -> Option<Inside<'_>> {
        let table = self.table_of(conversation);
        let gate = Arc::clone(table.0.lock().entry(conversation.clone()).or_default());
        let mut inside = Inside { table, conversation: conversation.clone(), place: None };
        let place = async {
            match company {
                Company::Beside => Place::Beside(gate.read_owned().await),
                Company::Alone => Place::Alone(gate.write_owned().await),
            }
        };
        inside.place = Some(timeout_at(deadline, place).await.ok()?);
        Some(inside)
    }

    /// Spreads conversations by the end of their names, where names of one maker differ.
    fn table_of(&self, conversation: &Text) -> &Table {
        let end = conversation.bytes().rev().take(8);
        let sum = end.fold(0_usize, |sum, byte| sum.wrapping_mul(31) + usize::from(byte));
        &self.0[sum % TABLES]
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
        let gates = Gates::default();
        let conversation = Text::from("c");
        let soon = || Instant::now() + Duration::from_secs(1);
        let inside = gates.enter(&conversation, Company::Alone, soon()).await.unwrap();
        assert!(gates.enter(&conversation, Company::Beside, soon()).await.is_none());
        assert_eq!(gates.table_of(&conversation).0.lock().len(), 1);
        drop(inside);
        assert_eq!(gates.table_of(&conversation).0.lock().len(), 0);
    }
}
