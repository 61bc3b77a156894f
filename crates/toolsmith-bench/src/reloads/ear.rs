//! Hears every event, and remembers what was told of bad files.

use std::{
    collections::HashSet,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Event, EventKind};
use toolsmith_engine::{Heard, Subscription};

use super::Stage;

/// How many calls may have ended whose events were not heard yet.
const BEHIND: u64 = 400;

/// What was heard.
#[derive(Default)]
pub(super) struct Ear {
    begun: AtomicU64,
    ended: AtomicU64,
    missed: AtomicU64,
    reloads: AtomicU64,
    load_errors: AtomicU64,
    /// The bad places that were told: file and line.
    told: Mutex<HashSet<(String, u64)>>,
    end: CancellationToken,
}

impl Ear {
    /// Holds a call back while too many events are unheard: none may be missed.
    pub(super) async fn begin_call(&self) {
        while self.begun.load(Relaxed).saturating_sub(self.ended.load(Relaxed)) > BEHIND {
            tokio::task::yield_now().await;
        }
        self.begun.fetch_add(1, Relaxed);
    }

    /// Tells whether something bad was told of this file, at or behind that many lines.
    pub(super) fn has_heard(&self, file: &Path, above: u64) -> bool {
        let file = file.display().to_string();
        let told = self.told.lock();
        // A text that never ends is wrong where it begins or where the file ends.
        (above + 1..=above + 2).any(|line| told.contains(&(file.clone(), line)))
    }

    pub(super) fn missed(&self) -> u64 {
        self.missed.load(Relaxed)
    }

    pub(super) fn close(&self) {
        self.end.cancel();
    }

    pub(super) fn report(&self) -> Value {
        json!({
            "reloads": self.reloads.load(Relaxed),
            "load_errors": self.load_errors.load(Relaxed),
            "missed": self.missed(),
        })
    }

    fn hear(&self, event: &Event) {
        match event.kind {
            EventKind::ReloadCompleted => {
                self.reloads.fetch_add(1, Relaxed);
            }
            EventKind::LoadError => {
                self.load_errors.fetch_add(1, Relaxed);
                let file = event.data["file"].as_str().unwrap_or_default().to_owned();
                let line = event.data["line"].as_u64().unwrap_or_default();
                self.told.lock().insert((file, line));
            }
            kind if kind.is_final() => {
                self.ended.fetch_add(1, Relaxed);
            }
            _ => {}
        }
    }
}

/// Hears until it is told that all is over and nothing is left.
pub(super) async fn listen(mut subscription: Subscription, stage: Arc<Stage>) {
    let ear = &stage.ear;
    while let Some(Some(heard)) = ear.end.run_until_cancelled(subscription.next()).await {
        match heard {
            Heard::Event(event) => ear.hear(&event),
            Heard::Missed(missed) => {
                ear.missed.fetch_add(missed, Relaxed);
            }
        }
    }
}
