//! The bench that tools are tried on: no engine, only what a tool itself needs.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Context, IntoTool, Outcome, ToolContext, ToolError, Value,
    Work,
};

/// Calls no other tool.
#[derive(Debug)]
struct Nobody;

impl Caller for Nobody {
    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        panic!("the tool called another one: {call:?}")
    }
}

/// Runs a tool once, as an engine would.
pub(crate) async fn run(tool: impl IntoTool, input: Value) -> Result<Value, ToolError> {
    let tool = tool.into_tool()?;
    let cx = context(tool.spec.name.as_str());
    match tool.work {
        Work::Async(executor) => executor.execute(&cx, input).await,
        Work::Blocking(blocking) => blocking.execute(&cx, input),
        work => panic!("a tool of another kind: {work:?}"),
    }
}

/// Returns the schema of a tool's input.
pub(crate) fn schema(tool: impl IntoTool) -> Value {
    tool.into_tool().unwrap().spec.input_schema.to_value()
}

/// Makes the context of a call by `tester`.
pub(crate) fn context(tool: &str) -> ToolContext {
    ToolContext::new(
        CallId::from_bytes([7; 16]),
        tool.into(),
        Context::direct("tester"),
        Instant::now() + Duration::from_mins(1),
        Arc::new(Nobody),
    )
}
