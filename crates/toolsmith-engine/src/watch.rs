//! Async tools that hold their thread: code that blocks belongs into a plain function.
//!
//! A task that is polled keeps its thread until it gives it back, and every other call of that
//! thread waits. The engine cannot take the thread away, but it can say who held it.

use std::{
    pin::{Pin, pin},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    task::Poll,
    time::Duration,
};

use tokio::time::Instant;
use toolsmith_core::{EventKind, json};

use crate::stages::record::Trace;

/// Counts how often an async tool held a thread for too long.
#[derive(Debug, Default)]
pub(crate) struct Held(AtomicU64);

impl Held {
    pub(crate) fn count(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Polls once; most in-process calls are done then and never need a timer.
///
/// The poll began when the slot was taken, so only its end is looked at.
pub(crate) async fn poll_once<F: Future>(
    trace: &Trace<'_>,
    since: Option<Instant>,
    mut work: Pin<&mut F>,
) -> Poll<F::Output> {
    let since = since.unwrap_or_else(Instant::now);
    let polled = std::future::poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await;
    tell(trace, since.elapsed());
    polled
}

/// Polls to the end, looking at every poll.
pub(crate) async fn poll_on<F: Future>(trace: &Trace<'_>, work: F) -> F::Output {
    let mut work = pin!(work);
    std::future::poll_fn(|cx| {
        let since = Instant::now();
        let polled = work.as_mut().poll(cx);
        tell(trace, since.elapsed());
        polled
    })
    .await
}

fn tell(trace: &Trace<'_>, held: Duration) {
    if held <= trace.engine.config.longest_poll {
        return;
    }
    trace.engine.held.0.fetch_add(1, Relaxed);
    let held_ms = held.as_millis();
    tracing::warn!(
        tool.name = %trace.tool_name,
        held_ms,
        "an async tool held its thread; code that blocks belongs into a plain function"
    );
    trace.emit(EventKind::ThreadHeld, || json!({ "held_ms": held_ms }));
}
