//! How far a stream of events was read, and when it is asked for again.

use std::time::Duration;

use sse_stream::Sse;

/// How long it is waited before a stream that ended is asked for again, unless the server says.
const PAUSE: Duration = Duration::from_secs(1);

/// How far a stream was read.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The last event that has a name.
    last: Option<String>,
    /// How long the server wants to be left alone.
    wish: Option<Duration>,
}

impl Place {
    /// Notes an event.
    pub(super) fn note(&mut self, event: &Sse) {
        if let Some(wish) = event.retry {
            self.wish = Some(Duration::from_millis(wish));
        }
        if let Some(id) = &event.id {
            self.last = Some(id.clone());
        }
    }

    /// Returns after which event the rest begins; nothing when the server does not keep it.
    pub(super) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// Returns how long to wait before a stream that ended is asked for.
    pub(super) fn first_pause(&mut self) -> Duration {
        self.wish.take().unwrap_or(PAUSE)
    }

    /// Returns how long to wait after it was asked for in vain, this many times.
    pub(super) fn pause(&self, tries: u32) -> Duration {
        let pause = PAUSE.saturating_mul(2_u32.saturating_pow(tries));
        self.wish.map_or(pause, |wish| wish.max(pause))
    }
}
