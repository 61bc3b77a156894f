//! The objects of all stateful tools: found by thread, counted, and ended.

use std::{
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use lru::LruCache;
use parking_lot::Mutex;
use tokio::{runtime::Handle, task::JoinSet, time::Instant};
use toolsmith_core::{ErrorKind, Text, ToolError};

use super::{closings::Closings, slot::Slot};

/// Callers choose the names of threads, so their number needs a bound.
const MOST: usize = 10_000;

/// The objects of all stateful tools.
#[derive(Clone)]
pub(crate) struct Instances(Arc<Shared>);

struct Shared {
    table: Mutex<Table>,
    closings: Closings,
    executors: AtomicU64,
    idle: Duration,
}

struct Table {
    /// The slots in the order of their last use. One that is taken out is closed by its taker.
    slots: LruCache<Key, Arc<Slot>>,
    /// Objects on their way out.
    closing: JoinSet<()>,
    /// Closes objects that nobody uses; begun with the first object, ended with the table.
    sweeper: JoinSet<()>,
    /// Where objects are closed that are ended from a thread without a runtime.
    runtime: Option<Handle>,
}

/// Whose object it is: of one definition of a tool, one person and one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) executor: u64,
    pub(super) scope: String,
    pub(super) thread: Text,
}

/// Which objects to end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending<'a> {
    Tool(&'a str),
    Thread(&'a str),
    IdleFor(Duration),
    All,
}

impl Instances {
    pub(crate) fn new(idle: Duration) -> Self {
        let table = Mutex::new(Table {
            slots: LruCache::unbounded(),
            closing: JoinSet::new(),
            sweeper: JoinSet::new(),
            runtime: None,
        });
        let (closings, executors) = (Closings::default(), AtomicU64::new(0));
        Self(Arc::new(Shared { table, closings, executors, idle }))
    }

    /// Ends objects and waits until they are closed; those in use are closed after their call.
    ///
    /// Whoever stops waiting leaves the closing to the background.
    pub(crate) async fn end(&self, ending: Ending<'_>) -> usize {
        let ended = self.take(ending);
        self.close(&ended).none_left().await;
        ended.len()
    }

    /// Waits for the objects that are being closed.
    pub(crate) async fn settle(&self) {
        self.0.closings.none_left().await;
    }

    pub(crate) fn len(&self) -> usize {
        self.0.table.lock().slots.len()
    }

    /// Returns a number that no other executor has.
    pub(super) fn next_executor(&self) -> u64 {
        self.0.executors.fetch_add(1, SeqCst)
    }

    /// Ends the objects of one executor in the background.
    pub(super) fn end_of(&self, executor: u64) {
        let ended = self.0.table.lock().take_all(|key, _| key.executor == executor);
        self.close(&ended);
    }

    /// Finds or makes the slot for a key; where there are too many, an idle one goes for it.
    pub(super) fn slot(&self, key: &Key, tool: &Text) -> Result<Arc<Slot>, ToolError> {
        let mut table = self.0.table.lock();
        table.keep_swept(&self.0);
        if let Some(slot) = table.slots.get(key) {
            slot.touch();
            return Ok(Arc::clone(slot));
        }
        let evicted = if table.slots.len() < MOST {
            None
        } else {
            Some(table.take_least_used().ok_or_else(full)?)
        };
        let slot = Arc::new(Slot::new(tool.clone()));
        table.slots.put(key.clone(), Arc::clone(&slot));
        drop(table);
        self.close(evicted.as_slice());
        Ok(slot)
    }

    /// Takes an object out of service and closes it in the background.
    ///
    /// A slot whose object was never made is left to the other calls that wait for it.
    pub(super) fn give_up(&self, key: &Key, slot: &Arc<Slot>) {
        let mut table = self.0.table.lock();
        // One reference is the table's, one the call's.
        let is_wanted = !slot.is_made() && Arc::strong_count(slot) > 2;
        let is_kept = table.slots.peek(key).is_some_and(|kept| Arc::ptr_eq(kept, slot));
        if is_wanted || !is_kept {
            return;
        }
        let taken = table.take(key);
        drop(table);
        self.close(taken.as_slice());
    }

    /// Begins to close slots that were taken out; what is returned can be waited for.
    ///
    /// The tasks keep the table, so that they outlive an engine that is dropped.
    pub(super) fn close(&self, slots: &[Arc<Slot>]) -> Closings {
        let these = Closings::default();
        if slots.is_empty() {
            return these;
        }
        let mut table = self.0.table.lock();
        let Some(runtime) = Handle::try_current().ok().or_else(|| table.runtime.clone()) else {
            return these;
        };
        while table.closing.try_join_next().is_some() {}
        for slot in slots {
            let (slot, shared) = (Arc::clone(slot), Arc::clone(&self.0));
            let counted = (these.begin(), shared.closings.begin());
            let close = async move {
                slot.close().await;
                drop((slot, counted, shared));
            };
            table.closing.spawn_on(close, &runtime);
        }
        these
    }

    fn take(&self, ending: Ending<'_>) -> Vec<Arc<Slot>> {
        let now = Instant::now();
        self.0.table.lock().take_all(|key, slot| match ending {
            Ending::Tool(tool) => slot.tool() == tool,
            Ending::Thread(thread) => key.thread == thread,
            Ending::IdleFor(idle) => is_idle(slot) && slot.unused_for(now) >= idle,
            Ending::All => true,
        })
    }
}

impl Table {
    /// Takes a slot out of service; who waited for it begins anew, and the taker closes it.
    fn take(&mut self, key: &Key) -> Option<Arc<Slot>> {
        self.slots.pop(key).inspect(|slot| slot.end())
    }

    fn take_all(&mut self, is_meant: impl Fn(&Key, &Arc<Slot>) -> bool) -> Vec<Arc<Slot>> {
        let meant = self.slots.iter().filter(|(key, slot)| is_meant(key, slot));
        let meant: Vec<Key> = meant.map(|(key, _)| key.clone()).collect();
        meant.iter().filter_map(|key| self.take(key)).collect()
    }

    fn take_least_used(&mut self) -> Option<Arc<Slot>> {
        let (key, _) = self.slots.iter().rev().find(|(_, slot)| is_idle(slot))?;
        let key = key.clone();
        self.take(&key)
    }

    /// Sees to it that the sweeper runs: it ends with the runtime that it was begun on.
    fn keep_swept(&mut self, shared: &Arc<Shared>) {
        while self.sweeper.try_join_next().is_some() {}
        let Ok(runtime) = Handle::try_current() else { return };
        if self.sweeper.is_empty() {
            self.sweeper.spawn_on(sweep(Arc::downgrade(shared), shared.idle), &runtime);
            self.runtime = Some(runtime);
        }
    }
}

/// Ends idle objects now and then, as long as the table is there.
async fn sweep(shared: Weak<Shared>, idle: Duration) {
    loop {
        tokio::time::sleep((idle / 4).max(Duration::from_millis(100))).await;
        let Some(shared) = shared.upgrade() else { return };
        let instances = Instances(shared);
        instances.close(&instances.take(Ending::IdleFor(idle)));
    }
}

/// A call under way holds a second reference, which it can only get from the table.
fn is_idle(slot: &Arc<Slot>) -> bool {
    Arc::strong_count(slot) == 1
}

fn full() -> ToolError {
    ToolError::new(
        ErrorKind::Rejected,
        format!("{MOST} objects of stateful tools are in use; try again when calls have ended."),
    )
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instances({})", self.len())
    }
}
