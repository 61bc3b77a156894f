//! The executor of one stateful tool: finds the call's object, has its turn, and gives it back.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use toolsmith_core::{
    BoxFuture, Context, Executor, Factory, Sharing, Text, ToolContext, ToolError, Value,
};

use crate::reuse;

use super::{
    instances::{Instances, Key},
    slot::Slot,
};

/// Runs the calls of one stateful tool on its objects.
pub(crate) struct StatefulExecutor {
    /// Tells this definition of the tool from every other one, its successors too.
    id: u64,
    tool: Text,
    factory: Arc<dyn Factory>,
    instances: Instances,
    /// Most tools are never called in a thread; their end has nothing to look for.
    has_kept: AtomicBool,
}

impl StatefulExecutor {
    pub(crate) fn new(tool: Text, factory: Arc<dyn Factory>, instances: Instances) -> Self {
        let id = instances.next_executor();
        Self { id, tool, factory, instances, has_kept: AtomicBool::new(false) }
    }

    async fn run_alone(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        let slot = Arc::new(Slot::new(self.tool.clone()));
        let given_up = GivenUp { instances: &self.instances, key: None, slot: Some(&slot) };
        let result = self.run_on(&slot, cx, input).await.flatten();
        given_up.not();
        let closed = self.instances.close(&[Arc::clone(&slot)]);
        // An object that is slow to close must not cost the call its answer.
        tokio::time::timeout(cx.remaining() / 2, closed.none_left()).await.ok();
        result
    }

    async fn run_in(&self, key: Key, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        self.has_kept.store(true, SeqCst);
        let sharing = self.factory.sharing();
        loop {
            let slot = self.instances.slot(&key, &self.tool)?;
            if slot.is_held_above() && (sharing == Sharing::OneCallAtATime || !slot.is_made()) {
                return Err(calls_itself(&self.tool));
            }
            let Some(_turn) = slot.turn(sharing).await else { continue };
            let given_up =
                GivenUp { instances: &self.instances, key: Some(&key), slot: Some(&slot) };
            // When the making fails there is no object to keep, and the guard takes the slot away.
            let result = self.run_on(&slot, cx, input).await?;
            given_up.not();
            slot.touch();
            return result;
        }
    }

    /// Makes the slot's object if need be and runs the call on it; the outer error is the making's.
    async fn run_on(
        &self,
        slot: &Slot,
        cx: &ToolContext,
        input: Value,
    ) -> Result<Result<Value, ToolError>, ToolError> {
        let work = async {
            let object = slot.object(|| self.factory.create(cx)).await?;
            Ok(object.execute(cx, input).await)
        };
        slot.holding(work).await
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
                let scope = reuse::scope_of(cx.context());
                let key = Key { executor: self.id, scope, thread: thread.clone() };
                Box::pin(self.run_in(key, cx, input))
            }
            None => Box::pin(self.run_alone(cx, input)),
        }
    }
}

impl Drop for StatefulExecutor {
    /// A definition that has left the registry takes its objects with it.
    fn drop(&mut self) {
        if self.has_kept.load(SeqCst) {
            self.instances.end_of(self.id);
        }
    }
}

impl fmt::Debug for StatefulExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StatefulExecutor({})", self.tool)
    }
}

/// Gives an object up when its call ends without returning: dropped by a deadline, or a panic.
struct GivenUp<'a> {
    instances: &'a Instances,
    /// Where the object is kept; a fresh one is kept nowhere.
    key: Option<&'a Key>,
    /// Nothing once the call has returned.
    slot: Option<&'a Arc<Slot>>,
}

impl GivenUp<'_> {
    /// The call has returned: its object is sound.
    fn not(mut self) {
        self.slot = None;
    }
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        let Some(slot) = self.slot else { return };
        match self.key {
            Some(key) => self.instances.give_up(key, slot),
            None => drop(self.instances.close(&[Arc::clone(slot)])),
        }
    }
}

/// Returns the thread that a call belongs to: the conversation when it names none.
fn thread_of(context: &Context) -> Option<&Text> {
    context.thread_id.as_ref().or(context.conversation_id.as_ref())
}

fn calls_itself(tool: &Text) -> ToolError {
    ToolError::failed(format!(
        "`{tool}` is running already in this thread and cannot call itself; \
         let the call under way do the work, or call another tool."
    ))
}
