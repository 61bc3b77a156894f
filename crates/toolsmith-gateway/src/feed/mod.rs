//! What happens, for those who listen over a connection: told once, kept for a while, read by many.
//!
//! One task hears the engine and writes each event down once, into a ring. A listener has a place
//! in the ring and reads on from there, so that coming back after a break is the same as being
//! slow, and ten thousand listeners cost ten thousand places. Nobody listens, nothing is written.

mod hearing;
mod ring;

use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use toolsmith_engine::Engine;

use self::ring::Ring;
pub(crate) use self::ring::{Place, Told};

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
