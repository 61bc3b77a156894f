//! What happens, for those who listen over a connection: told once, kept for a while, read by many.
//!
//! One task hears the engine and writes each event down once, into a ring. A listener has a place
//! in the ring and reads on from there, so that coming back after a break is the same as being
//! slow, and ten thousand listeners cost ten thousand places. Nobody listens, nothing is written.

mod ring;

use std::{sync::Arc, time::Duration};

use parking_lot::{Mutex, RwLock};
use tokio::{
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolsmith_engine::{Engine, Heard, Subscription};

use self::ring::Ring;
pub(crate) use self::ring::{Place, Told};

/// How long events are still written down after the last listener has left: it may come back.
const LINGER: Duration = Duration::from_mins(5);

/// How often it is looked whether anybody listens.
const LOOK: Duration = Duration::from_secs(10);

/// How many events are written down before listeners are woken.
const AT_ONCE: usize = 256;

/// How long listeners are left alone after they were woken, for each of them.
///
/// A call tells several things, and waking ten thousand for each would leave no time for calls.
const PEACE: Duration = Duration::from_micros(5);

/// So few are woken at once.
const FEW: usize = 200;

/// How many events a listener takes at once.
const TAKEN: usize = 64;

/// What happens, for those who listen over a connection; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feed(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    ring: RwLock<Ring>,
    /// Changes with every entry of the ring.
    news: watch::Sender<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    listeners: usize,
    is_heard: bool,
}

/// When listeners are woken next, and what for.
#[derive(Debug)]
struct Waking {
    not_before: Instant,
    news: Option<u64>,
}

/// Somebody who listens, at a place in the ring.
#[derive(Debug)]
pub(crate) struct Listener {
    shared: Arc<Shared>,
    news: watch::Receiver<u64>,
    place: Place,
}

impl Feed {
    /// Begins to listen, behind a place or from now on.
    pub(crate) fn listen(
        &self,
        engine: &Engine,
        tasks: &TaskTracker,
        closing: &CancellationToken,
        behind: Option<Place>,
    ) -> Listener {
        let shared = Arc::clone(&self.0);
        let mut state = shared.state.lock();
        if !state.is_heard {
            state.is_heard = true;
            shared.ring.write().begin(engine.now());
            let hearing = Arc::clone(&shared).hear(engine.subscribe(), closing.clone());
            tasks.spawn(hearing);
        }
        state.listeners += 1;
        drop(state);
        let place = behind.unwrap_or_else(|| shared.ring.read().end());
        Listener { news: shared.news.subscribe(), shared, place }
    }
}

impl Shared {
    /// Writes down what happens for as long as anybody might want it.
    async fn hear(self: Arc<Self>, mut engine: Subscription, closing: CancellationToken) {
        let mut wanted_at = Instant::now();
        let mut waking = Waking { not_before: Instant::now(), news: None };
        loop {
            let heard = tokio::select! {
                () = closing.cancelled() => break,
                () = sleep_until(waking.not_before), if waking.news.is_some() => {
                    self.wake(&mut waking);
                    continue;
                }
                heard = timeout(LOOK, engine.next()) => heard,
            };
            match heard {
                Ok(Some(first)) => waking.news = Some(self.write_down(first, &mut engine)),
                Ok(None) => break,
                Err(_) => {}
            }
            if Instant::now() >= waking.not_before {
                self.wake(&mut waking);
            }
            let mut state = self.state.lock();
            if state.listeners > 0 {
                wanted_at = Instant::now();
            } else if wanted_at.elapsed() > LINGER {
                state.is_heard = false;
                self.ring.write().clear();
                break;
            }
        }
    }

    /// Wakes the listeners when there is news, and leaves them alone for a while after.
    fn wake(&self, waking: &mut Waking) {
        let Some(news) = waking.news.take() else { return };
        self.news.send_replace(news);
        let listeners = self.state.lock().listeners;
        if listeners > FEW {
            let peace = PEACE * u32::try_from(listeners).unwrap_or(u32::MAX);
            waking.not_before = Instant::now() + peace;
        }
    }

    /// Writes down what there is, and returns the number behind it.
    fn write_down(&self, first: Heard, engine: &mut Subscription) -> u64 {
        let mut ring = self.ring.write();
        ring.push(first);
        for _ in 1..AT_ONCE {
            let Some(next) = engine.try_next() else { break };
            ring.push(next);
        }
        ring.end().number()
    }
}

impl Listener {
    /// Waits until there is something behind the place, and takes it.
    pub(crate) async fn next(&mut self) -> Vec<Told> {
        loop {
            // Marked before the look: what is written during it wakes again.
            self.news.borrow_and_update();
            let (told, place) = self.shared.ring.read().after(self.place, TAKEN);
            self.place = place;
            if !told.is_empty() {
                return told;
            }
            if self.news.changed().await.is_err() {
                return told;
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.state.lock().listeners -= 1;
    }
}
