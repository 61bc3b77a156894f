//! What is kept of a call.

use std::{fmt, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::{CallId, CallerType, ErrorKind, JsonText, Text, Timestamp, ToolError};

/// What is kept of one call; secrets are already taken out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    #[schemars(with = "f64")]
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
pub struct Receipt(State);

#[derive(Debug)]
enum State {
    Safe,
    NotSafe,
    Pending(oneshot::Receiver<()>),
}

impl Receipt {
    /// The record is where it should be; there is nothing to wait for.
    pub fn done() -> Self {
        Self(State::Safe)
    }

    /// The sink cannot keep its promise for this record; there is nothing to wait for either.
    pub fn not_safe() -> Self {
        Self(State::NotSafe)
    }

    /// The caller waits until the other end speaks (it is safe) or goes away (it is not).
    pub fn pending(receiver: oneshot::Receiver<()>) -> Self {
        Self(State::Pending(receiver))
    }

    /// Tells whether the record is safe already.
    pub fn is_done(&self) -> bool {
        matches!(self.0, State::Safe)
    }

    /// Waits until the record is safe; false when the sink could not keep its promise.
    pub async fn wait(self) -> bool {
        match self.0 {
            State::Safe => true,
            State::NotSafe => false,
            State::Pending(receiver) => receiver.await.is_ok(),
        }
    }
}
