//! What a trace shows of a request or a call: never what went in or came out.

use std::time::Duration;

use toolsmith_core::{Text, Timestamp, TraceContext, TracedCall};

/// A part of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// The trace and the span.
    pub(crate) place: TraceContext,
    /// The span above.
    pub(crate) parent: Option<TraceContext>,
    /// What it is, with few different names.
    pub(crate) name: String,
    /// Its part in a conversation between programs.
    pub(crate) role: Role,
    /// When it began.
    pub(crate) started_at: Timestamp,
    /// How long it took.
    pub(crate) duration: Duration,
    /// What is known about it, by the names of the conventions.
    pub(crate) attributes: Vec<(&'static str, Value)>,
    /// Whether it failed.
    pub(crate) is_failed: bool,
}

/// The part of a span in a conversation between programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Work of our own.
    Internal,
    /// An answer to somebody.
    Server,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(Text),
    Whole(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl Span {
    /// Describes a call by the conventions for tools of generative AI.
    pub(super) fn of_call(call: &TracedCall<'_>) -> Self {
        let mut attributes = vec![
            ("gen_ai.operation.name", "execute_tool".into()),
            ("gen_ai.tool.name", Value::Text(call.tool_name.clone())),
            ("gen_ai.tool.type", "function".into()),
            ("gen_ai.tool.call.id", Value::Text(call.call_id.to_string().into())),
            ("toolsmith.door", call.door.as_str().into()),
        ];
        let ids = [
            ("gen_ai.conversation.id", &call.conversation_id),
            ("toolsmith.caller.id", &call.caller_id),
        ];
        for (name, id) in ids {
            attributes.extend(id.clone().map(|id| (name, Value::Text(id))));
        }
        attributes.extend(call.error.map(|error| ("error.type", error.kind().as_str().into())));
        Self {
            place: call.span,
            parent: call.parent,
            name: format!("execute_tool {}", call.tool_name),
            role: Role::Internal,
            started_at: call.started_at,
            duration: call.duration,
            attributes,
            is_failed: call.error.is_some(),
        }
    }
}
