//! Plain functions: run on the engine's threads, so that a deadline can let the caller go.

use std::{fmt, sync::Arc};

use toolsmith_core::{Blocking, BoxFuture, Executor, ToolContext, ToolError, Value};

use crate::threads::{Room, Threads};

/// Runs a plain function on a thread.
pub(crate) struct BlockingExecutor {
    function: Arc<dyn Blocking>,
    threads: Threads,
}

impl BlockingExecutor {
    pub(crate) fn new(function: Arc<dyn Blocking>, threads: Threads) -> Self {
        Self { function, threads }
    }
}

impl Executor for BlockingExecutor {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        let function = Arc::clone(&self.function);
        let owned = cx.clone();
        // The token must exist before the thread starts, or nobody could cancel it.
        let _token = cx.cancellation();
        Box::pin(async move {
            let room = if cx.depth() > 0 { Room::Beyond } else { Room::Bounded };
            self.threads.run(cx.tool_name(), room, move || function.execute(&owned, input)).await
        })
    }
}

impl fmt::Debug for BlockingExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BlockingExecutor")
    }
}
