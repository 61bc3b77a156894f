//! Stage 2, authorize: may this caller use the tool with this input?
//!
//! It comes before validation: a schema error must not teach a stranger the schema. Whether the
//! caller may see the tool at all was settled with its name; here the application's own rules
//! are asked, and what they rewrite is validated like any other input.

use toolsmith_core::{ErrorKind, Role, ToolError};

use crate::{
    interceptor::Before,
    registry::Entry,
    stages::{record::Trace, run::foreign},
};

pub(crate) async fn authorize(trace: &mut Trace<'_>, tool: &Entry) -> Result<(), ToolError> {
    if trace.cx.depth() > trace.engine.config.max_depth {
        return Err(ToolError::new(
            ErrorKind::Rejected,
            "Tools have called tools too many levels deep; this looks like a circle.",
        ));
    }
    if trace.cx.context().rights.role == Role::Viewer {
        let message = "This caller may look at tools and call none; ask for a key that may.";
        return Err(ToolError::denied(message));
    }
    for interceptor in &trace.engine.interceptors {
        let verdict = async { interceptor.before(&trace.cx, &tool.spec, &trace.input).await };
        match Box::pin(foreign(trace.deadline(), verdict)).await? {
            Before::Allow => {}
            Before::Deny(error) => return Err(error),
            Before::Rewrite(input) => trace.input = input,
            Before::Ask(reason) => trace.ask = Some(reason),
        }
    }
    Ok(())
}
