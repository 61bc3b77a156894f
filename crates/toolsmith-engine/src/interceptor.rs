//! Where an application puts its own rules on the line of a call.

use std::fmt;

use toolsmith_core::{BoxFuture, Text, ToolContext, ToolError, ToolSpec, Value};

/// Rules of an application: asked before a call is validated and after its tool has run.
///
/// Interceptors run in the order of their registration. With none registered they cost nothing.
pub trait Interceptor: Send + Sync + fmt::Debug {
    /// Judges a call before it is validated; a rewritten input is validated like any other.
    fn before<'a>(
        &'a self,
        cx: &'a ToolContext,
        spec: &'a ToolSpec,
        input: &'a Value,
    ) -> BoxFuture<'a, Before> {
        let _ = (cx, spec, input);
        Box::pin(std::future::ready(Before::Allow))
    }

    /// Judges an output before it is checked, cut and recorded.
    fn after<'a>(
        &'a self,
        cx: &'a ToolContext,
        spec: &'a ToolSpec,
        output: &'a Value,
    ) -> BoxFuture<'a, After> {
        let _ = (cx, spec, output);
        Box::pin(std::future::ready(After::Accept))
    }
}

/// What an interceptor says before a call.
#[derive(Debug)]
pub enum Before {
    /// Go on.
    Allow,
    /// Refuse, for this reason.
    Deny(ToolError),
    /// Go on with another input.
    Rewrite(Value),
    /// Ask a person first, for this reason.
    Ask(Text),
}

/// What an interceptor says after a tool has run.
#[derive(Debug)]
pub enum After {
    /// Go on.
    Accept,
    /// Fail the call, for this reason.
    Reject(ToolError),
    /// Go on with another output.
    Rewrite(Value),
}
