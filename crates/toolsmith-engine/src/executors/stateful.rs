//! Stateful tools: an object for each thread of a conversation.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::{RwLock, RwLockReadGuard, RwLockWriteGuard},
    task::JoinSet,
    time::Instant,
};
use toolsmith_core::{
    BoxFuture, Context, Executor, Factory, Sharing, Stateful, Text, ToolContext, ToolError, Value,
};

/// The objects of all stateful tools.
#[derive(Clone)]
pub(crate) struct Instances {
    table: Arc<Mutex<Table>>,
    idle: Duration,
}

#[derive(Default)]
struct Table {
    slots: HashMap<Key, Arc<Slot>>,
    /// Objects that were given up while a call held them are closed here, and waited for.
    closing: JoinSet<()>,
    /// Closes objects that nobody uses; begun with the first object, ended with the table.
    sweeper: JoinSet<()>,
}

/// The tool (with its version) and the thread that an object belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    tool: Text,
    thread: Text,
}

struct Slot {
    /// The object, once made. A call holds it for writing, or for reading where calls may mix.
    object: RwLock<Option<Arc<dyn Stateful>>>,
    used: Mutex<Instant>,
    /// Set when the object is given up or ended: who waited for it begins anew.
    is_over: AtomicBool,
}

impl Default for Slot {
    fn default() -> Self {
        let (object, is_over) = (RwLock::new(None), AtomicBool::new(false));
        Self { object, used: Mutex::new(Instant::now()), is_over }
    }
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
        Self { table: Arc::default(), idle }
    }

    /// Ends objects and waits until they are closed; those in use are closed after their call.
    pub(crate) async fn end(&self, ending: Ending<'_>) -> usize {
        let now = Instant::now();
        let ended: Vec<Arc<Slot>> = {
            let mut table = self.table.lock();
            let doomed: Vec<Key> = table
                .slots
                .iter()
                .filter(|(key, slot)| match ending {
                    Ending::Tool(tool) => key.tool.split('@').next() == Some(tool),
                    Ending::Thread(thread) => key.thread == thread,
                    Ending::IdleFor(idle) => {
                        // A call under way holds a second reference.
                        Arc::strong_count(slot) == 1
                            && now.duration_since(*slot.used.lock()) >= idle
                    }
                    Ending::All => true,
                })
                .map(|(key, _)| key.clone())
                .collect();
            doomed.iter().filter_map(|key| table.slots.remove(key)).collect()
        };
        for slot in &ended {
            slot.is_over.store(true, SeqCst);
            let object = slot.object.write().await.take();
            if let Some(object) = object {
                object.close().await;
            }
        }
        ended.len()
    }

    /// Waits for the objects that are being closed.
    pub(crate) async fn settle(&self) {
        let mut closing = std::mem::take(&mut self.table.lock().closing);
        while closing.join_next().await.is_some() {}
    }

    pub(crate) fn len(&self) -> usize {
        self.table.lock().slots.len()
    }

    fn slot(&self, key: &Key) -> Arc<Slot> {
        let mut table = self.table.lock();
        if table.sweeper.is_empty() {
            table.sweeper.spawn(sweep(Arc::downgrade(&self.table), self.idle));
        }
        let slot = table.slots.entry(key.clone()).or_default();
        *slot.used.lock() = Instant::now();
        Arc::clone(slot)
    }

    /// Takes an object out of service and closes it in the background.
    fn discard(&self, key: &Key, slot: &Arc<Slot>, object: Arc<dyn Stateful>) {
        slot.is_over.store(true, SeqCst);
        let mut table = self.table.lock();
        if table.slots.get(key).is_some_and(|current| Arc::ptr_eq(current, slot)) {
            table.slots.remove(key);
        }
        while table.closing.try_join_next().is_some() {}
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            table.closing.spawn_on(async move { object.close().await }, &runtime);
        }
    }
}

/// Ends idle objects now and then, as long as the table is there.
async fn sweep(table: Weak<Mutex<Table>>, idle: Duration) {
    loop {
        tokio::time::sleep((idle / 4).max(Duration::from_millis(100))).await;
        let Some(table) = table.upgrade() else { return };
        Instances { table, idle }.end(Ending::IdleFor(idle)).await;
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instances({})", self.len())
    }
}

/// Runs the calls of one stateful tool on its objects.
pub(crate) struct StatefulExecutor {
    /// The tool with its version: versions do not share objects.
    tool: Text,
    factory: Arc<dyn Factory>,
    instances: Instances,
}

impl StatefulExecutor {
    pub(crate) fn new(tool: Text, factory: Arc<dyn Factory>, instances: Instances) -> Self {
        Self { tool, factory, instances }
    }

    async fn run_alone(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        let object = self.factory.create(cx).await?;
        let result = object.execute(cx, input).await;
        object.close().await;
        result
    }

    async fn run_in(&self, key: Key, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        loop {
            let slot = self.instances.slot(&key);
            let Some(held) = self.hold(&slot, cx).await? else { continue };
            let object = held.object();
            let mut guard = Guard { instances: &self.instances, key, slot: &slot, object };
            let Some(object) = guard.object.as_deref() else { return Ok(Value::Null) };
            let result = object.execute(cx, input).await;
            guard.object = None;
            *slot.used.lock() = Instant::now();
            return result;
        }
    }

    /// Takes hold of the slot's object, making it first if need be; nothing when the slot is over.
    #[expect(
        clippy::await_holding_invalid_type,
        reason = "holding the object during its call is what keeps calls of one object apart"
    )]
    async fn hold<'a>(
        &self,
        slot: &'a Slot,
        cx: &ToolContext,
    ) -> Result<Option<Held<'a>>, ToolError> {
        let sharing = self.factory.sharing();
        if sharing == Sharing::Concurrent {
            let shared = slot.object.read().await;
            if shared.is_some() {
                let is_over = slot.is_over.load(SeqCst);
                return Ok((!is_over).then_some(Held::Shared(shared)));
            }
        }
        let mut alone = slot.object.write().await;
        if slot.is_over.load(SeqCst) {
            return Ok(None);
        }
        if alone.is_none() {
            *alone = Some(self.factory.create(cx).await?);
        }
        Ok(Some(match sharing {
            Sharing::OneCallAtATime => Held::Alone(alone),
            Sharing::Concurrent => Held::Shared(alone.downgrade()),
        }))
    }
}

/// The hold on an object: nobody else has it, or others have it too. Ending it waits for both.
enum Held<'a> {
    Alone(RwLockWriteGuard<'a, Option<Arc<dyn Stateful>>>),
    Shared(RwLockReadGuard<'a, Option<Arc<dyn Stateful>>>),
}

impl Held<'_> {
    fn object(&self) -> Option<Arc<dyn Stateful>> {
        match self {
            Self::Alone(object) => object.as_ref().map(Arc::clone),
            Self::Shared(object) => object.as_ref().map(Arc::clone),
        }
    }
}

/// Gives an object up when its call ends without returning: dropped by a deadline, or a panic.
struct Guard<'a> {
    instances: &'a Instances,
    key: Key,
    slot: &'a Arc<Slot>,
    object: Option<Arc<dyn Stateful>>,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            self.instances.discard(&self.key, self.slot, object);
        }
    }
}

impl Executor for StatefulExecutor {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        match thread_of(cx.context()) {
            Some(thread) => {
                let key = Key { tool: self.tool.clone(), thread: thread.clone() };
                Box::pin(self.run_in(key, cx, input))
            }
            None => Box::pin(self.run_alone(cx, input)),
        }
    }
}

impl fmt::Debug for StatefulExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StatefulExecutor({})", self.tool)
    }
}

/// Returns the thread that a call belongs to: the conversation when it names none.
fn thread_of(context: &Context) -> Option<&Text> {
    context.thread_id.as_ref().or(context.conversation_id.as_ref())
}
