//! Hot reload: notices that files have changed, waits until they are at rest, and reloads.
//!
//! File events and polling may be used alone or together. Either way the files are walked and
//! compared by their marks, so an event only says that it is worth a look. Where no events tell of
//! the file of switches, it is looked at all the while: who switches a tool, or asks for a reload,
//! should not have to wait.

mod events;
mod task;

use std::{fmt, time::Duration};

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::{events::FileEvents, task::Watch};
use crate::Definitions;

/// How often to look where file events cannot be had.
const FALLBACK: Duration = Duration::from_secs(1);

/// Which definitions are watched, and how changes are noticed.
#[derive(Clone, Debug)]
#[must_use]
pub struct Watcher {
    definitions: Definitions,
    has_events: bool,
    interval: Option<Duration>,
}

impl Watcher {
    /// Begins with neither file events nor polling: only the switches are followed.
    pub fn new(definitions: Definitions) -> Self {
        Self { definitions, has_events: false, interval: None }
    }

    /// Listens to the file system; where that fails, polling takes its place.
    pub fn with_events(mut self) -> Self {
        self.has_events = true;
        self
    }

    /// Looks at the files in this interval.
    pub fn with_polling(mut self, interval: Duration) -> Self {
        self.interval = Some(interval.max(Duration::from_millis(10)));
        self
    }

    /// Starts to watch; runs on the current Tokio runtime until it is stopped or dropped.
    pub fn start(self) -> Watching {
        let stop = CancellationToken::new();
        let places = self.definitions.places();
        let events = if self.has_events { FileEvents::open(&places) } else { None };
        let needs_fallback = self.has_events && events.is_none();
        let watch = Watch {
            definitions: self.definitions,
            interval: self.interval.or(needs_fallback.then_some(FALLBACK)),
            events,
            stop: stop.clone(),
        };
        Watching { stop, task: Some(tokio::spawn(watch.run())) }
    }
}

/// A watch under way; dropping it ends it soon, [`stop`](Self::stop) waits for the end.
pub struct Watching {
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Watching {
    /// Ends the watch; a reload under way is finished first.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Some(task) = self.task.take()
            && let Err(error) = task.await
        {
            tracing::error!(%error, "the watch over definitions ended badly");
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watching")
    }
}
