//! The task of a watch: looks, waits until files are at rest, reloads, and waits for a reason.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{FALLBACK, events::FileEvents};
use crate::{Definitions, walk::Scan};

/// How long files must be at rest: editors rename, delete and write in quick succession.
const REST: Duration = Duration::from_millis(50);

/// How long to wait for rest at most: where something is always written, the rest still reloads.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often to look whether somebody has used the switches, where no event tells: one file, not a
/// walk.
const BELL: Duration = Duration::from_millis(200);

/// What a watch works with.
pub(super) struct Watch {
    pub(super) definitions: Definitions,
    pub(super) interval: Option<Duration>,
    pub(super) events: Option<FileEvents>,
    pub(super) stop: CancellationToken,
}

/// What a look has shown.
struct Look {
    scan: Scan,
    /// Whether the files are those that were read.
    is_current: bool,
    /// Whether a file is gone or empty that was not.
    is_less: bool,
}

impl Watch {
    /// Looks, waits for rest and reloads, until it is told to stop.
    pub(super) async fn run(mut self) {
        let mut has_doubts = false;
        while !self.stop.is_cancelled() {
            let Some(Look { scan, is_current, .. }) = self.look().await else { return };
            // Files may have come into a folder before it was listened to.
            if self.follow(&scan).await {
                continue;
            }
            if !is_current {
                let Some((scan, is_restless)) = self.await_rest(scan).await else { return };
                // The wait has heard of folders that came and went, and followed none of them.
                let grew = self.follow(&scan).await;
                has_doubts = self.reload(scan).await || is_restless;
                if grew {
                    continue;
                }
            }
            self.await_reason(has_doubts).await;
        }
    }

    /// Walks the folders off the async threads; nothing when the runtime is ending.
    async fn look(&self) -> Option<Look> {
        let definitions = self.definitions.clone();
        let look = move || {
            let scan = definitions.scan();
            let (is_current, is_less) = (definitions.is_current(&scan), definitions.is_less(&scan));
            Look { scan, is_current, is_less }
        };
        spawn_blocking(look).await.ok()
    }

    /// Reloads; tells whether something must be looked at again soon.
    async fn reload(&self, scan: Scan) -> bool {
        let definitions = self.definitions.clone();
        let reload = move || definitions.reload_to(scan).is_none() || definitions.has_doubts();
        spawn_blocking(reload).await.unwrap_or_else(|error| {
            tracing::error!(%error, "a reload of definitions ended badly");
            false
        })
    }

    /// Listens to the folders there are; tells whether one of them was not listened to before.
    async fn follow(&mut self, scan: &Scan) -> bool {
        let Some(mut events) = self.events.take() else { return false };
        let folders = scan.folders.clone();
        let followed = spawn_blocking(move || {
            let grew = events.follow(&folders);
            (events, grew)
        });
        match followed.await {
            Ok((events, Ok(grew))) => {
                self.events = Some(events);
                grew
            }
            Ok((_, Err(error))) => {
                let every = *self.interval.get_or_insert(FALLBACK);
                tracing::warn!(%error, ?every, "cannot listen to file events; polling instead");
                false
            }
            Err(_) => false,
        }
    }

    /// Waits until two looks in a row show the same, and returns what they show.
    ///
    /// A file that is gone or empty has all the time there is to come back: to take a tool out of
    /// service for a moment is worse than to take it out a moment later. When patience ends, the
    /// files that are still not at rest stay as they were read; tells too whether there are any.
    /// Nothing when it was told to stop.
    async fn await_rest(&self, first: Scan) -> Option<(Scan, bool)> {
        let patience = Instant::now() + PATIENCE;
        let mut last = first.clone();
        while Instant::now() < patience {
            let rest = patience.min(Instant::now() + REST);
            if timeout_at(rest, self.next_event()).await.is_ok() {
                if self.stop.is_cancelled() {
                    return None;
                }
                continue;
            }
            let Look { scan, is_less, .. } = self.look().await?;
            if scan == last && !is_less {
                return Some((last, false));
            }
            last = scan;
        }
        let second = self.look().await?.scan;
        self.stop.run_until_cancelled(sleep(REST)).await?;
        let last = self.look().await?.scan;
        Some(self.definitions.settle([&first, &second], last))
    }

    async fn next_event(&self) {
        let event = async {
            match &self.events {
                Some(events) => events.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = event => {}
        }
    }

    /// Waits until somebody uses the switches.
    async fn next_ring(&self) {
        let is_heard = |file: &PathBuf| self.events.as_ref().is_some_and(|e| e.hears(file));
        let Some(file) = self.definitions.switches_file().filter(|file| !is_heard(file)) else {
            return std::future::pending().await;
        };
        // Once there is a folder to listen to, nobody has to look any more.
        let folder = self.events.as_ref().and_then(|_| file.parent().map(Path::to_owned));
        loop {
            sleep(BELL).await;
            let (definitions, folder) = (self.definitions.clone(), folder.clone());
            let is_rung =
                move || definitions.is_rung() || folder.is_some_and(|folder| folder.is_dir());
            // An error means that the runtime is ending, which the next look finds out.
            if spawn_blocking(is_rung).await.unwrap_or(true) {
                return;
            }
        }
    }

    /// Waits for an event, the switches, the next look, or the time to confirm a doubt.
    async fn await_reason(&self, has_doubts: bool) {
        let until = if has_doubts { Some(PATIENCE) } else { self.interval };
        let pause = async {
            match until {
                Some(until) => sleep(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.next_event() => {}
            () = self.next_ring() => {}
            () = pause => {}
        }
    }
}
