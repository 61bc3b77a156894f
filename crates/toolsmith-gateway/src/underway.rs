//! The calls of the doors: those under way, and what came of those that nobody waited for.

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use toolsmith_core::{BoxFuture, Call, CallId, Outcome, Text};
use toolsmith_engine::Engine;

/// Calls that do not end at once go through the table twice, so threads should seldom meet there.
const SHARDS: usize = 16;

/// How many calls may be under way that nobody waits for: in all, and of one caller.
const MOST_STARTED: usize = 8_192;
const MOST_STARTED_BY_ONE: usize = 2_048;

/// How many outcomes are kept for those who ask later, and for how long; then the record answers.
const MOST_KEPT: usize = 1_024;
pub(crate) const KEPT_FOR: Duration = Duration::from_mins(10);

/// The calls of the doors; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Underway(Arc<Table>);

#[derive(Debug, Default)]
struct Table {
    running: [Mutex<HashMap<CallId, Running>>; SHARDS],
    started: Mutex<HashMap<Text, usize>>,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Running {
    caller: Text,
    cancel: CancellationToken,
}

#[derive(Debug, Default)]
struct Kept {
    outcomes: HashMap<CallId, (Text, Arc<Outcome>)>,
    /// The oldest first.
    order: VecDeque<(Instant, CallId)>,
}

/// A call that is not in the table yet.
#[derive(Debug)]
pub(crate) struct Newcomer<'a> {
    underway: &'a Underway,
    caller: &'a Text,
    id: CallId,
    cancel: CancellationToken,
}

/// A call in the table; out of it when this is dropped.
#[derive(Debug)]
pub(crate) struct Enrolled {
    underway: Underway,
    id: CallId,
}

/// A place among the calls that nobody waits for; given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    underway: Underway,
    caller: Text,
}

/// How a call is.
#[derive(Clone, Debug)]
pub(crate) enum Progress {
    /// It waits or runs.
    Running,
    /// It has ended.
    Finished(Arc<Outcome>),
}

impl Underway {
    /// Gives a call its identifier and puts it into the table.
    pub(crate) fn enrol(&self, engine: &Engine, caller: &Text, mut call: Call) -> (Call, Enrolled) {
        let enrolled = self.announce(engine, caller, &mut call).enrol();
        (call, enrolled)
    }

    /// Gives a call its identifier, and the means to end it; it is not in the table yet.
    pub(crate) fn announce<'a>(
        &'a self,
        engine: &Engine,
        caller: &'a Text,
        call: &mut Call,
    ) -> Newcomer<'a> {
        let (id, cancel) = (engine.new_call_id(), CancellationToken::new());
        (call.id, call.cancel) = (Some(id), Some(cancel.clone()));
        Newcomer { underway: self, caller, id, cancel }
    }

    /// Takes a place for a call that nobody will wait for; nothing when there are too many.
    pub(crate) fn place_for(&self, caller: &Text) -> Option<Place> {
        let mut started = self.0.started.lock();
        let all: usize = started.values().sum();
        let own = started.get(caller).copied().unwrap_or_default();
        if all >= MOST_STARTED || own >= MOST_STARTED_BY_ONE {
            return None;
        }
        started.insert(caller.clone(), own + 1);
        Some(Place { underway: self.clone(), caller: caller.clone() })
    }

    /// Keeps what came of a call, for those who ask later by the identifier that they were told.
    pub(crate) fn keep(&self, id: CallId, caller: Text, outcome: Outcome) {
        let now = Instant::now();
        let mut kept = self.0.kept.lock();
        kept.outcomes.insert(id, (caller, Arc::new(outcome)));
        kept.order.push_back((now, id));
        kept.forget(now);
    }

    /// Returns whose a call is and how it is; nothing when only its record could tell.
    pub(crate) fn look_up(&self, id: CallId) -> Option<(Text, Progress)> {
        if let Some(running) = self.shard(id).lock().get(&id) {
            return Some((running.caller.clone(), Progress::Running));
        }
        let mut kept = self.0.kept.lock();
        kept.forget(Instant::now());
        let (caller, outcome) = kept.outcomes.get(&id)?;
        Some((caller.clone(), Progress::Finished(Arc::clone(outcome))))
    }

    /// Ends a call that is under way.
    pub(crate) fn cancel(&self, id: CallId) {
        if let Some(running) = self.shard(id).lock().get(&id) {
            running.cancel.cancel();
        }
    }

    fn shard(&self, id: CallId) -> &Mutex<HashMap<CallId, Running>> {
        let [.., last] = id.to_bytes();
        &self.0.running[usize::from(last) % SHARDS]
    }
}

impl Newcomer<'_> {
    /// Puts the call into the table.
    fn enrol(self) -> Enrolled {
        let Self { underway, caller, id, cancel } = self;
        let running = Running { caller: caller.clone(), cancel };
        underway.shard(id).lock().insert(id, running);
        Enrolled { underway: underway.clone(), id }
    }

    /// Waits for the call; most end at once, and only those that do not are put into the table.
    pub(crate) async fn during<T>(self, mut work: BoxFuture<'_, T>) -> T {
        let (mut newcomer, mut enrolled) = (Some(self), None);
        poll_fn(|cx| {
            let polled = work.as_mut().poll(cx);
            if polled.is_pending() && enrolled.is_none() {
                enrolled = newcomer.take().map(Newcomer::enrol);
            }
            polled
        })
        .await
    }
}

impl Enrolled {
    /// Returns the identifier of the call.
    pub(crate) fn id(&self) -> CallId {
        self.id
    }
}

impl Drop for Enrolled {
    fn drop(&mut self) {
        self.underway.shard(self.id).lock().remove(&self.id);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut started = self.underway.0.started.lock();
        if let Some(count) = started.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                started.remove(&self.caller);
            }
        }
    }
}

impl Kept {
    fn forget(&mut self, now: Instant) {
        while let Some((since, id)) = self.order.front() {
            if self.order.len() <= MOST_KEPT && now.duration_since(*since) < KEPT_FOR {
                break;
            }
            self.outcomes.remove(id);
            self.order.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    async fn outcome(engine: &Engine) -> Outcome {
        engine.call(Call::new("nothing", json!({}))).await
    }

    #[tokio::test]
    async fn outcomes_are_kept_within_bounds_of_count_and_age() {
        let (engine, underway) = (Engine::builder().build().unwrap(), Underway::default());
        let first = outcome(&engine).await;
        let id = first.call_id;
        underway.keep(id, "a".into(), first);
        assert!(matches!(underway.look_up(id), Some((_, Progress::Finished(_)))));
        underway.0.kept.lock().forget(Instant::now() + KEPT_FOR);
        assert!(underway.look_up(id).is_none());
        for _ in 0..MOST_KEPT + 5 {
            let outcome = outcome(&engine).await;
            underway.keep(outcome.call_id, "a".into(), outcome);
        }
        assert_eq!(underway.0.kept.lock().outcomes.len(), MOST_KEPT);
    }

    #[tokio::test]
    async fn one_caller_cannot_take_the_places_of_all() {
        let underway = Underway::default();
        let places: Vec<_> = std::iter::from_fn(|| underway.place_for(&"a".into())).collect();
        assert_eq!(places.len(), MOST_STARTED_BY_ONE);
        assert!(underway.place_for(&"b".into()).is_some());
        drop(places);
        assert!(underway.place_for(&"a".into()).is_some());
        assert!(underway.0.started.lock().is_empty());
    }

    #[tokio::test]
    async fn a_call_that_does_not_end_at_once_is_found_until_it_does() {
        let (engine, underway) = (Engine::builder().build().unwrap(), Underway::default());
        let caller = Text::from("a");
        let mut call = Call::new("nothing", json!({}));
        let newcomer = underway.announce(&engine, &caller, &mut call);
        let id = call.id.unwrap();
        let mut seen = Vec::new();
        let work = poll_fn(|cx| {
            seen.push(underway.look_up(id).is_some());
            cx.waker().wake_by_ref();
            if seen.len() < 2 { std::task::Poll::Pending } else { std::task::Poll::Ready(()) }
        });
        newcomer.during(Box::pin(work)).await;
        assert_eq!((seen, underway.look_up(id).is_some()), (vec![false, true], false));
    }

    #[tokio::test]
    async fn a_call_is_in_the_table_for_as_long_as_it_is_under_way() {
        let (engine, underway) = (Engine::builder().build().unwrap(), Underway::default());
        let (call, enrolled) =
            underway.enrol(&engine, &"a".into(), Call::new("nothing", json!({})));
        let id = enrolled.id();
        assert_eq!(call.id, Some(id));
        assert!(matches!(underway.look_up(id), Some((_, Progress::Running))));
        underway.cancel(id);
        assert!(call.cancel.unwrap().is_cancelled());
        drop(enrolled);
        assert!(underway.look_up(id).is_none());
    }
}
