//! Reads the messages of a server; the answers to calls in one pass.
//!
//! The library tells messages apart by trying every form that one could have, on a copy of it. Nearly
//! all that a server sends are answers to calls, and we know which calls are waited for: such an
//! answer is read as what it is. Everything else is left to the library.

use std::collections::HashSet;

use rmcp::{
    RoleClient,
    model::{
        CallToolResult, ClientNotification, ClientRequest, JsonRpcMessage, JsonRpcVersion2_0,
        RequestId, ServerResult,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde::Deserialize;

/// The calls whose answers are waited for.
#[derive(Debug, Default)]
pub(super) struct Answers {
    expected: HashSet<RequestId>,
}

/// The answer to a call, and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    result: CallToolResult,
}

impl Answers {
    /// Takes note of what is sent: calls, and that nobody waits for one any more.
    pub(super) fn note_sent(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        match message {
            JsonRpcMessage::Request(sent) => {
                if let ClientRequest::CallToolRequest(_) = &sent.request {
                    self.expected.insert(sent.id.clone());
                }
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(note) = &sent.notification
                    && let Some(id) = &note.params.request_id
                {
                    self.expected.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Reads a message.
    pub(super) fn read(&mut self, line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<RoleClient>> {
        if !self.expected.is_empty()
            && let Ok(Answer { id, result, .. }) = serde_json::from_slice(line)
            && self.expected.remove(&id)
        {
            return Ok(JsonRpcMessage::response(ServerResult::CallToolResult(result), id));
        }
        let message: RxJsonRpcMessage<RoleClient> = serde_json::from_slice(line)?;
        if let Some(id) = answered(&message) {
            self.expected.remove(id);
        }
        Ok(message)
    }
}

/// Returns which request a message answers.
pub(super) fn answered(message: &RxJsonRpcMessage<RoleClient>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}
