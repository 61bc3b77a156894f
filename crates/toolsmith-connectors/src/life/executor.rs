//! Runs a tool that one source serves.

use toolsmith_core::{BoxFuture, Executor, ToolContext, ToolError, Value};

use super::backend::{Failure, Source};

/// Runs a tool that one source serves.
#[derive(Debug)]
pub(crate) struct Single {
    pub(crate) source: Box<dyn Source>,
    /// The name under which calls share a breaker; a service has its own way of resting.
    pub(crate) upstream: Option<String>,
}

impl Executor for Single {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move { self.source.attempt(input).await.map_err(Failure::into_error) })
    }

    fn upstream(&self) -> Option<&str> {
        self.upstream.as_deref()
    }
}
