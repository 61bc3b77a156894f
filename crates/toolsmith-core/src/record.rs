//! What is kept of a call.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::{CallId, CallerType, ErrorKind, JsonText, Text, Timestamp, ToolError};

/// What is kept of one call; secrets are already taken out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are the public contract")]
pub struct Record {
    /// The identifier of the call.
    pub record_id: CallId,
    /// The tool; as the caller wrote it when there is no such tool.
    pub tool_name: Text,
    /// The version that was chosen.
    pub version: Option<Text>,
    /// The input, as it was checked or refused.
    pub params: JsonText,
    /// The output; absent when the call failed.
    pub result: Option<JsonText>,
    /// How long the call took, in seconds.
    #[serde(with = "crate::policy::seconds")]
    pub execution_time: Duration,
    /// Whether it succeeded.
    pub is_success: bool,
    /// What went wrong.
    pub error: Option<String>,
    /// What kind of failure it was.
    pub error_type: Option<ErrorKind>,
    /// Who called.
    pub caller_id: Option<Text>,
    /// What kind of caller it was.
    pub caller_type: CallerType,
    /// The conversation that the call belonged to.
    pub conversation_id: Option<Text>,
    /// The workflow that the call belonged to.
    pub workflow_id: Option<Text>,
    /// The node of that workflow.
    pub node_id: Option<Text>,
    /// The task that the call belonged to.
    pub task_id: Option<Text>,
    /// The person behind the caller.
    pub user_id: Option<Text>,
    /// When the call arrived.
    pub created_at: Timestamp,
}

/// Where records go. The call path only hands over; queue and writer are behind it.
pub trait RecordSink: Send + Sync + fmt::Debug {
    /// Takes a record; the receipt tells when the caller may go on.
    fn push(&self, record: Record) -> Receipt;

    /// Refuses new calls while the sink could not keep its promise about their records.
    fn ready(&self) -> Result<(), ToolError> {
        Ok(())
    }
}

/// Tells when a record is as safe as its sink promises.
#[derive(Debug)]
#[must_use = "a sink that promises durability keeps it only for callers that wait"]
pub struct Receipt(Option<oneshot::Receiver<()>>);

impl Receipt {
    /// The record is where it should be; there is nothing to wait for.
    pub fn done() -> Self {
        Self(None)
    }

    /// The caller waits until the other end speaks or goes away.
    pub fn pending(receiver: oneshot::Receiver<()>) -> Self {
        Self(Some(receiver))
    }

    /// Tells whether there is nothing to wait for.
    pub fn is_done(&self) -> bool {
        self.0.is_none()
    }

    /// Waits until the record is safe; true when it is, false when the sink gave up on it.
    pub async fn wait(self) -> bool {
        match self.0 {
            None => true,
            Some(receiver) => receiver.await.is_ok(),
        }
    }
}
