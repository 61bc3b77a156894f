//! The place of one object: its making, whose turn it is, and its closing.

use std::{
    future::Future,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};

use futures_util::FutureExt;
use parking_lot::Mutex;
use tokio::{
    sync::{OnceCell, Semaphore, SemaphorePermit},
    time::{Instant, timeout},
};
use toolsmith_core::{Sharing, Stateful, Text, ToolError};

/// Whoever has all turns is alone with the object.
const ALL_TURNS: u32 = u32::MAX >> 3;

/// An object that takes longer to close is given up.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

tokio::task_local! {
    /// The slots that the calls above hold, by address: a slot lives as long as it is held.
    ///
    /// A call made on another task or thread does not see them: whether it waits for its own
    /// caller cannot be told there, so it waits like any other call, within its deadline.
    static HELD: Vec<usize>;
}

/// The place of one object.
pub(super) struct Slot {
    tool: Text,
    /// The object, once made.
    object: OnceCell<Arc<dyn Stateful>>,
    /// A call has all of them, or one where calls may mix; closing has all.
    turns: Semaphore,
    used: Mutex<Instant>,
    /// Set when the object is given up or ended: who waited for it begins anew.
    is_over: AtomicBool,
}

impl Slot {
    pub(super) fn new(tool: Text) -> Self {
        let (object, is_over) = (OnceCell::new(), AtomicBool::new(false));
        let turns = Semaphore::new(ALL_TURNS as usize);
        Self { tool, object, turns, used: Mutex::new(Instant::now()), is_over }
    }

    pub(super) fn tool(&self) -> &Text {
        &self.tool
    }

    pub(super) fn is_made(&self) -> bool {
        self.object.initialized()
    }

    pub(super) fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    pub(super) fn unused_for(&self, now: Instant) -> Duration {
        now.duration_since(*self.used.lock())
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, SeqCst);
    }

    /// Waits for a turn; there is none once the slot is over.
    pub(super) async fn turn(&self, sharing: Sharing) -> Option<SemaphorePermit<'_>> {
        let turns = match sharing {
            Sharing::OneCallAtATime => ALL_TURNS,
            Sharing::Concurrent => 1,
        };
        let turn = self.turns.acquire_many(turns).await.ok()?;
        (!self.is_over.load(SeqCst)).then_some(turn)
    }

    /// Returns the object, made by the first who asks.
    pub(super) async fn object<Making>(
        &self,
        make: impl FnOnce() -> Making,
    ) -> Result<&dyn Stateful, ToolError>
    where
        Making: Future<Output = Result<Arc<dyn Stateful>, ToolError>>,
    {
        self.object.get_or_try_init(make).await.map(AsRef::as_ref)
    }

    /// Tells whether this call was made, on the same task, by a call that holds the slot.
    pub(super) fn is_held_above(&self) -> bool {
        HELD.try_with(|held| held.contains(&self.address())).unwrap_or(false)
    }

    /// Runs work that holds the slot, so that calls which it makes can see that it does.
    pub(super) async fn holding<T>(&self, work: impl Future<Output = T>) -> T {
        let mut held = HELD.try_with(Vec::clone).unwrap_or_default();
        held.push(self.address());
        HELD.scope(held, work).await
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Closes the object, if it was made, after the calls that use it; for who ended the slot.
    pub(super) async fn close(&self) {
        let Ok(_alone) = self.turns.acquire_many(ALL_TURNS).await else { return };
        let Some(object) = self.object.get() else { return };
        let closing = AssertUnwindSafe(async { object.close().await }).catch_unwind();
        match timeout(CLOSING_LIMIT, closing).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => tracing::warn!(tool.name = %self.tool, "closing an object panicked"),
            Err(_) => {
                tracing::warn!(tool.name = %self.tool, "closing an object took too long; given up");
            }
        }
    }
}
