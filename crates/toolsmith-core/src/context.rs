//! Who calls, on whose behalf, and within which bounds.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Rights, Text, TraceContext};

/// What kind of caller it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallerType {
    /// An agent in a conversation.
    ConversationAgent,
    /// A node of a workflow: neither limited nor counted by admission.
    WorkflowNode,
    /// Code that embeds the library.
    Direct,
    /// The HTTP door.
    Http,
    /// The MCP door.
    Mcp,
    /// The command line.
    Cli,
    /// Nobody said.
    #[default]
    Unknown,
}

impl CallerType {
    /// Every type.
    pub const ALL: [Self; 7] = [
        Self::ConversationAgent,
        Self::WorkflowNode,
        Self::Direct,
        Self::Http,
        Self::Mcp,
        Self::Cli,
        Self::Unknown,
    ];

    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConversationAgent => "conversation_agent",
            Self::WorkflowNode => "workflow_node",
            Self::Direct => "direct",
            Self::Http => "http",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Unknown => "unknown",
        }
    }

    /// Finds the type with that stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|caller| caller.as_str() == name)
    }
}

impl fmt::Display for CallerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The context of a call: data, cheap to clone, filled in by the door that the call came through.
///
/// ```
/// use toolsmith_core::{CallerType, Context};
///
/// let cx = Context::for_conversation("agent-1", "conversation-1");
/// assert_eq!(cx.caller_type, CallerType::ConversationAgent);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Context {
    /// Who calls.
    pub caller_id: Option<Text>,
    /// What kind of caller it is.
    pub caller_type: CallerType,
    /// The conversation that the call belongs to.
    pub conversation_id: Option<Text>,
    /// The workflow that the call belongs to.
    pub workflow_id: Option<Text>,
    /// The node of that workflow.
    pub node_id: Option<Text>,
    /// The task that the call belongs to.
    pub task_id: Option<Text>,
    /// The person behind the caller.
    pub user_id: Option<Text>,
    /// The thread of the conversation: stateful tools keep an instance for each.
    pub thread_id: Option<Text>,
    /// How long the call may take, waiting included, in seconds; the tool's own limit otherwise.
    #[serde(with = "crate::policy::seconds::option")]
    pub timeout: Option<Duration>,
    /// How often this call has been tried before.
    pub retry_count: u32,
    /// How often a failed call may be tried again.
    pub max_retries: u32,
    /// Values shared between the calls of one run.
    pub variables: Map<String, Value>,
    /// The folders that file tools may touch; the configured ones when absent.
    pub allowed_paths: Option<Arc<[PathBuf]>>,
    /// Greater is earlier, where admission goes by priority.
    pub priority: i32,
    /// The same key and input run once.
    pub idempotency_key: Option<Text>,
    /// What the caller may see and use; never read from a client.
    #[serde(skip)]
    pub rights: Rights,
    /// Where the call stands in a trace: below whom, and once it has begun, its own place.
    #[serde(skip)]
    pub trace: Option<TraceContext>,
}

impl Default for Context {
    fn default() -> Self {
        Self {
            caller_id: None,
            caller_type: CallerType::Unknown,
            conversation_id: None,
            workflow_id: None,
            node_id: None,
            task_id: None,
            user_id: None,
            thread_id: None,
            timeout: None,
            retry_count: 0,
            max_retries: 3,
            variables: Map::new(),
            allowed_paths: None,
            priority: 0,
            idempotency_key: None,
            rights: Rights::default(),
            trace: None,
        }
    }
}

impl Context {
    /// Makes the context of an agent in a conversation.
    pub fn for_conversation(agent_id: impl Into<Text>, conversation_id: impl Into<Text>) -> Self {
        Self {
            caller_id: Some(agent_id.into()),
            caller_type: CallerType::ConversationAgent,
            conversation_id: Some(conversation_id.into()),
            ..Self::default()
        }
    }

    /// Makes the context of a node in a workflow.
    pub fn for_workflow(workflow_id: impl Into<Text>, node_id: impl Into<Text>) -> Self {
        let node_id = node_id.into();
        Self {
            caller_id: Some(node_id.clone()),
            caller_type: CallerType::WorkflowNode,
            workflow_id: Some(workflow_id.into()),
            node_id: Some(node_id),
            ..Self::default()
        }
    }

    /// Makes the context of code that embeds the library.
    pub fn direct(caller_id: impl Into<Text>) -> Self {
        Self {
            caller_id: Some(caller_id.into()),
            caller_type: CallerType::Direct,
            ..Self::default()
        }
    }

    /// Limits how long the call may take.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}
