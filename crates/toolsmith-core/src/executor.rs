//! What runs a checked call.

use std::{fmt, pin::Pin};

use serde_json::Value;

use crate::{Call, Outcome, Rights, ToolContext, ToolError, ToolSpec};

/// A future behind a pointer, as object-safe traits return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs a checked call once. It does not retry, time out, cache, limit or record: the engine does.
///
/// Dropping the future ends the attempt; whatever it started must end with it.
pub trait Executor: Send + Sync + fmt::Debug {
    /// Runs the call.
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>>;

    /// Names the other end, if there is one: calls to the same upstream share a circuit breaker.
    fn upstream(&self) -> Option<&str> {
        None
    }
}

/// Calls tools by name: the engine, as tools and agents see it.
pub trait Caller: Send + Sync + fmt::Debug {
    /// Calls a tool through the whole line.
    fn call(&self, call: Call) -> BoxFuture<'_, Outcome>;

    /// Finds the tools that fit a question best, of those that a caller may see; the best first.
    fn search(&self, _question: &str, _rights: &Rights, _limit: usize) -> Vec<ToolSpec> {
        Vec::new()
    }
}
