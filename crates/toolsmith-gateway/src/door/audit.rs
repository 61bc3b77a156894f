//! Who was refused, and why: a line of the log and an event each, and a count in a flood.

use std::{net::IpAddr, time::Duration};

use axum::http::StatusCode;
use parking_lot::Mutex;
use tokio::time::Instant;
use toolsmith_core::{EventKind, Text, json};
use toolsmith_engine::Engine;

/// How many refusals are told in how long; those beyond it are counted.
const MOST: u32 = 20;
const IN: Duration = Duration::from_secs(1);

/// Tells about refusals, within bounds.
#[derive(Debug)]
pub(crate) struct Audit(Mutex<Window>);

/// What was told lately.
#[derive(Debug)]
struct Window {
    began: Instant,
    told: u32,
    left_out: u64,
}

/// A refusal, as it is told.
#[derive(Debug)]
pub(super) struct Refusal<'a> {
    pub(super) status: StatusCode,
    /// The address that was asked for, without its query: that could hold a secret.
    pub(super) address: &'a str,
    pub(super) reason: &'a str,
    /// Who it was, as far as that is known: the name of a caller, or the id of a key.
    pub(super) caller: Option<&'a Text>,
    pub(super) peer: Option<IpAddr>,
}

impl Audit {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Window { began: Instant::now(), told: 0, left_out: 0 }))
    }

    /// Tells about a refusal, or counts it when there are too many.
    pub(super) fn tell(&self, engine: &Engine, refusal: &Refusal<'_>) {
        let Some(left_out) = self.0.lock().take() else { return };
        say_left_out(engine, left_out);
        let Refusal { status, address, reason, caller, peer } = refusal;
        let (status, peer) = (status.as_u16(), peer.map(|peer| peer.to_string()));
        let (peer, caller) = (peer.as_deref(), caller.map(Text::as_str));
        tracing::warn!(status, address, reason, peer, caller, "refused");
        let told = json!({
            "status": status, "address": address, "reason": reason, "peer": peer, "caller": caller,
        });
        engine.announce(EventKind::AccessRefused, None, told);
    }

    /// Tells how many were left out, when a flood is over and nobody else brings it up.
    pub(crate) fn sweep(&self, engine: &Engine) {
        let left_out = self.0.lock().count();
        say_left_out(engine, left_out);
    }
}

fn say_left_out(engine: &Engine, left_out: u64) {
    if left_out > 0 {
        tracing::warn!(left_out, "more were refused than are told one by one");
        engine.announce(EventKind::AccessRefused, None, json!({ "left_out": left_out }));
    }
}

impl Window {
    /// Finds room for one more; with it comes the count of those that found none before.
    fn take(&mut self) -> Option<u64> {
        if self.began.elapsed() >= IN {
            (self.began, self.told) = (Instant::now(), 0);
        }
        if self.told >= MOST {
            self.left_out += 1;
            return None;
        }
        self.told += 1;
        Some(std::mem::take(&mut self.left_out))
    }

    fn count(&mut self) -> u64 {
        if self.began.elapsed() < IN { 0 } else { std::mem::take(&mut self.left_out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_told_in_part_and_the_rest_is_counted() {
        let mut window = Window { began: Instant::now(), told: 0, left_out: 0 };
        let told = (0..100).filter(|_| window.take().is_some()).count();
        assert_eq!((told, window.count()), (20, 0));
        tokio::time::advance(IN).await;
        assert_eq!((window.take(), window.take()), (Some(80), Some(0)));
        for _ in 0..30 {
            window.take();
        }
        tokio::time::advance(IN).await;
        assert_eq!((window.count(), window.count()), (12, 0));
    }
}
