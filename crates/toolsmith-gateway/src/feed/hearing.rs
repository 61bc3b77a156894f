//! The task that hears the engine, writes down what happens, and wakes who listens.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use toolsmith_engine::{Heard, Subscription};

use super::Shared;

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

/// When listeners are woken next, and what for.
#[derive(Debug)]
struct Waking {
    not_before: Instant,
    news: Option<u64>,
}

impl Shared {
    /// Writes down what happens for as long as anybody might want it.
    pub(super) async fn hear(
        self: Arc<Self>,
        mut engine: Subscription,
        closing: CancellationToken,
    ) {
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
