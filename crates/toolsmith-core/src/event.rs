//! What happened, as it is told to subscribers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CallId, Context, Text, Timestamp};

/// What happened; its text is the `type` of the public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A tool came with the start.
    ToolLoaded,
    /// A tool was added.
    ToolAdded,
    /// A tool was replaced by another definition; `data` is `{changed}`, the parts that differ.
    ToolUpdated,
    /// A tool was removed.
    ToolRemoved,
    /// The service of a tool changed its state; `data` is `{state, pid, port, since, why}`.
    ToolStateChanged,
    /// Definitions are being read again.
    ReloadStarted,
    /// Definitions have been read again.
    ReloadCompleted,
    /// A definition could not be read.
    LoadError,
    /// A call arrived; `data` is `{params}`.
    CallRequested,
    /// A call's input does not fit; `data` is `{problems}`.
    ValidationError,
    /// A call got its slot and runs.
    ExecutionStarted,
    /// A call succeeded; `data` is `{result, duration_ms}`.
    ExecutionCompleted,
    /// A call failed, was refused, timed out or was cancelled; `data` is `{error, duration_ms}`.
    ExecutionFailed,
    /// A running call sent a piece of its output; `data` is `{chunk}`.
    OutputChunk,
    /// A running call told how far it is; `data` is `{done, total, message}`.
    Progress,
    /// A failed attempt is repeated; `data` is `{attempt, error, delay_ms}`.
    RetryScheduled,
    /// A person is asked to agree; `data` is `{approval_id}`.
    ApprovalRequested,
    /// A person has decided; `data` is `{approval_id, decision, by}`.
    ApprovalDecided,
    /// A request was not let in; `data` is `{address, reason}`.
    AccessRefused,
    /// A tool holds a thread that cannot be stopped; `data` is `{stuck_threads}`.
    ThreadStuck,
    /// An async tool held a thread that others need; `data` is `{held_ms}`.
    ThreadHeld,
    /// Records cannot be written; `data` is `{unwritten, reason}`.
    StoreFailing,
    /// Records are written again; `data` is `{written}`.
    StoreRecovered,
    /// Events cannot be posted to a receiver; `data` is `{webhook, reason}`.
    WebhookFailing,
    /// Events are posted again; `data` is `{webhook, lost}`, the events that are lost to it.
    WebhookRecovered,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 25] = [
        Self::ToolLoaded,
        Self::ToolAdded,
        Self::ToolUpdated,
        Self::ToolRemoved,
        Self::ToolStateChanged,
        Self::ReloadStarted,
        Self::ReloadCompleted,
        Self::LoadError,
        Self::CallRequested,
        Self::ValidationError,
        Self::ExecutionStarted,
        Self::ExecutionCompleted,
        Self::ExecutionFailed,
        Self::OutputChunk,
        Self::Progress,
        Self::RetryScheduled,
        Self::ApprovalRequested,
        Self::ApprovalDecided,
        Self::AccessRefused,
        Self::ThreadStuck,
        Self::ThreadHeld,
        Self::StoreFailing,
        Self::StoreRecovered,
        Self::WebhookFailing,
        Self::WebhookRecovered,
    ];

    /// Finds the kind with that stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolLoaded => "tool_loaded",
            Self::ToolAdded => "tool_added",
            Self::ToolUpdated => "tool_updated",
            Self::ToolRemoved => "tool_removed",
            Self::ToolStateChanged => "tool_state_changed",
            Self::ReloadStarted => "reload_started",
            Self::ReloadCompleted => "reload_completed",
            Self::LoadError => "load_error",
            Self::CallRequested => "call_requested",
            Self::ValidationError => "validation_error",
            Self::ExecutionStarted => "execution_started",
            Self::ExecutionCompleted => "execution_completed",
            Self::ExecutionFailed => "execution_failed",
            Self::OutputChunk => "output_chunk",
            Self::Progress => "progress",
            Self::RetryScheduled => "retry_scheduled",
            Self::ApprovalRequested => "approval_requested",
            Self::ApprovalDecided => "approval_decided",
            Self::AccessRefused => "access_refused",
            Self::ThreadStuck => "thread_stuck",
            Self::ThreadHeld => "thread_held",
            Self::StoreFailing => "store_failing",
            Self::StoreRecovered => "store_recovered",
            Self::WebhookFailing => "webhook_failing",
            Self::WebhookRecovered => "webhook_recovered",
        }
    }

    /// Tells whether this is the last event of a call.
    pub fn is_final(self) -> bool {
        matches!(self, Self::ExecutionCompleted | Self::ExecutionFailed)
    }
}

/// One event: `{id, type, time, tool_name, call_id, data}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Counts up from 1 in each engine.
    pub id: u64,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// When.
    pub time: Timestamp,
    /// The tool that it concerns.
    pub tool_name: Option<Text>,
    /// The call that it concerns.
    pub call_id: Option<CallId>,
    /// What else there is to say.
    pub data: Value,
    /// Whose call it concerns; for those who decide who hears of it, and never written.
    #[serde(skip)]
    pub origin: Option<Origin>,
}

/// Whose call an event concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Who called.
    pub caller_id: Option<Text>,
    /// The conversation that the call belongs to.
    pub conversation_id: Option<Text>,
}

impl From<&Context> for Origin {
    fn from(context: &Context) -> Self {
        Self {
            caller_id: context.caller_id.clone(),
            conversation_id: context.conversation_id.clone(),
        }
    }
}
