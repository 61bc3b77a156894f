//! What answers for a tool whose changed definition nobody has accepted yet.

use std::sync::Weak;

use toolsmith_core::{BoxFuture, ErrorKind, Executor, ToolContext, ToolError, ToolName, Value};

use super::roster::Roster;

/// Answers for a tool whose definition has to be accepted.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) roster: Weak<Roster>,
    pub(super) name: ToolName,
}

impl Executor for Held {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            if let Some(roster) = self.roster.upgrade() {
                roster.look_again();
            }
            Err(refusal(self.name.as_str()))
        })
    }
}

/// Says what a person has to do before a tool can be called.
pub(super) fn refusal(name: &str) -> ToolError {
    ToolError::new(
        ErrorKind::ApprovalRequired,
        format!(
            "The MCP server has changed the definition of `{name}`, and a person has to accept that \
             first: `toolsmith tools accept {name}`. Then call it again."
        ),
    )
}
