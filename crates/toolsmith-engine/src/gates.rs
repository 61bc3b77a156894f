//! Tools that run alone: one gate for each conversation.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock},
    time::{Instant, timeout_at},
};
use toolsmith_core::Text;

/// The conversations in which a call runs or waits.
#[derive(Debug, Default)]
pub(crate) struct Gates(Mutex<HashMap<Text, Arc<RwLock<()>>>>);

/// Whether a call may run beside others of its conversation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Company {
    Beside,
    Alone,
}

/// A place inside a gate; the next one may enter when it is dropped.
#[derive(Debug)]
pub(crate) struct Inside<'a> {
    gates: &'a Gates,
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
        let gate = Arc::clone(self.0.lock().entry(conversation.clone()).or_default());
        let mut inside = Inside { gates: self, conversation: conversation.clone(), place: None };
        let place = async {
            match company {
                Company::Beside => Place::Beside(gate.read_owned().await),
                Company::Alone => Place::Alone(gate.write_owned().await),
            }
        };
        inside.place = Some(timeout_at(deadline, place).await.ok()?);
        Some(inside)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // The guard holds the gate, so it goes first; then the map holds the last reference.
        self.place = None;
        let mut gates = self.gates.0.lock();
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
        assert_eq!(gates.0.lock().len(), 1);
        drop(inside);
        assert_eq!(gates.0.lock().len(), 0);
    }
}
