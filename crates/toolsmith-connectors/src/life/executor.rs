//! Runs a tool that one source serves.

use std::sync::Arc;

use toolsmith_core::{BoxFuture, Executor, Made, ToolContext, ToolError, Value, Work};

use super::backend::{Failure, Source};

/// Runs a tool that one source serves.
#[derive(Debug)]
pub(crate) struct Single {
    pub(crate) source: Box<dyn Source>,
    /// The name under which calls share a breaker; a service has its own way of resting.
    pub(crate) upstream: Option<String>,
}

impl Single {
    /// Makes a tool of a service, which has its own way of resting.
    pub(crate) fn of(source: Box<dyn Source>) -> Made {
        Work::Async(Arc::new(Self { source, upstream: None })).into()
    }
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
