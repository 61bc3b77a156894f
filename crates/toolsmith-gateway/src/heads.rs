//! How long the head of a request may take, at little cost to those that come at once.
//!
//! hyper wants a timer for each head and drops it when the head is there: each would go through the
//! lock of the runtime's timers twice. Here a head only notes its deadline, and one timer for the
//! whole connection looks whether it has passed.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::{Duration, Instant as SystemInstant},
};

use hyper::rt::{Sleep, Timer};
use tokio::time::{Instant, sleep_until};

/// The deadline of the head that a connection waits for.
#[derive(Clone, Debug)]
pub(crate) struct Heads(Arc<Deadline>);

#[derive(Debug)]
struct Deadline {
    /// When the connection was opened.
    opened: Instant,
    /// Nanoseconds from then on; 0 when no head is waited for.
    after: AtomicU64,
    has_passed: AtomicBool,
    /// How long a head may take.
    allowed: Duration,
}

impl Heads {
    /// Waits for no head yet.
    pub(crate) fn new(allowed: Duration) -> Self {
        Self(Arc::new(Deadline {
            opened: Instant::now(),
            after: AtomicU64::new(0),
            has_passed: AtomicBool::new(false),
            allowed,
        }))
    }

    /// Returns when a head has taken too long; whoever waits for it learns of it when it looks.
    pub(crate) async fn overdue(&self) {
        let deadline = &self.0;
        loop {
            let now = Instant::now();
            let until = match deadline.after.load(Relaxed) {
                // A head that is waited for from now on has at least this long.
                0 => now + deadline.allowed,
                nanos => deadline.opened + Duration::from_nanos(nanos),
            };
            if until <= now {
                deadline.has_passed.store(true, Relaxed);
                // Told once: a connection that is about to end does not look at its head again,
                // and whoever waits for this beside it would be woken without end.
                deadline.after.store(0, Relaxed);
                return;
            }
            sleep_until(until).await;
        }
    }
}

impl Timer for Heads {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: SystemInstant) -> Pin<Box<dyn Sleep>> {
        self.0.note(deadline);
        Box::pin(Head(Arc::clone(&self.0)))
    }

    fn reset(&self, _head: &mut Pin<Box<dyn Sleep>>, deadline: SystemInstant) {
        self.0.note(deadline);
    }

    fn now(&self) -> SystemInstant {
        // The time of the runtime, which tests can stop.
        Instant::now().into_std()
    }
}

impl Deadline {
    fn note(&self, deadline: SystemInstant) {
        let after = deadline.saturating_duration_since(self.opened.into_std());
        let nanos = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX).max(1);
        self.has_passed.store(false, Relaxed);
        self.after.store(nanos, Relaxed);
    }
}

/// A head that is waited for; not any more when this is dropped.
struct Head(Arc<Deadline>);

impl Sleep for Head {}

impl Future for Head {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        // The connection waits for `overdue` beside this, and looks here again when it comes.
        if self.0.has_passed.load(Relaxed) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        self.0.after.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const ALLOWED: Duration = Duration::from_secs(30);
    const NEARLY: Duration = Duration::from_secs(29);

    async fn is_overdue_within(heads: &Heads, duration: Duration) -> bool {
        timeout(duration, heads.overdue()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_takes_too_long_is_told_of() {
        let heads = Heads::new(ALLOWED);
        let mut head = heads.sleep(ALLOWED);
        assert!(!is_overdue_within(&heads, NEARLY).await);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        assert!(head.as_mut().poll(&mut cx).is_pending());
        assert!(is_overdue_within(&heads, Duration::from_secs(2)).await);
        assert!(head.as_mut().poll(&mut cx).is_ready());
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_nobody_looks_at_is_told_of_once() {
        let heads = Heads::new(ALLOWED);
        let _unseen = heads.sleep(ALLOWED);
        assert!(is_overdue_within(&heads, ALLOWED * 2).await);
        assert!(!is_overdue_within(&heads, ALLOWED * 10).await);
    }

    #[tokio::test(start_paused = true)]
    async fn between_heads_there_is_no_deadline_and_the_next_has_its_own() {
        let heads = Heads::new(ALLOWED);
        drop(heads.sleep(ALLOWED));
        assert!(!is_overdue_within(&heads, ALLOWED * 10).await);
        let _next = heads.sleep(ALLOWED);
        assert!(!is_overdue_within(&heads, NEARLY).await);
        assert!(is_overdue_within(&heads, Duration::from_secs(2)).await);
    }
}
