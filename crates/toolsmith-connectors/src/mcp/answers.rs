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

#[cfg(test)]
mod tests {
    use rmcp::model::{
        CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    };
    use serde_json::{Value, json};

    use super::*;

    fn waiting_for(number: i64) -> Answers {
        let request = CallToolRequest::new(CallToolRequestParams::new("add"));
        let request = ClientRequest::CallToolRequest(request);
        let mut answers = Answers::default();
        answers.note_sent(&JsonRpcMessage::request(request, RequestId::Number(number)));
        answers
    }

    fn read(answers: &mut Answers, message: &Value) -> RxJsonRpcMessage<RoleClient> {
        answers.read(message.to_string().as_bytes()).unwrap()
    }

    fn is_call_result(message: &RxJsonRpcMessage<RoleClient>) -> bool {
        matches!(message, JsonRpcMessage::Response(response)
            if matches!(response.result, ServerResult::CallToolResult(_)))
    }

    #[test]
    fn the_answer_to_a_call_is_one_whatever_else_it_looks_like() {
        let result = json!({ "content": [{ "type": "text", "text": "3" }], "tools": [] });
        let message = json!({ "jsonrpc": "2.0", "id": 7, "result": result });
        let mut answers = waiting_for(7);
        assert!(is_call_result(&read(&mut answers, &message)));
        assert!(answers.expected.is_empty());
        assert!(!is_call_result(&read(&mut answers, &message)), "nobody waits for a second one");
    }

    #[test]
    fn everything_else_is_read_as_the_library_reads_it() {
        let text = json!([{ "type": "text", "text": "3" }]);
        let asked = json!({ "resultType": "input_required", "requestState": "x" });
        for message in [
            json!({ "jsonrpc": "2.0", "id": 7, "result": asked }),
            json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": -32602, "message": "no" } }),
            json!({ "jsonrpc": "2.0", "id": 8, "result": { "content": text } }),
            json!({ "jsonrpc": "2.0", "id": "7", "result": { "content": text } }),
            json!({ "jsonrpc": "2.0", "id": 7, "result": { "tools": [] } }),
            json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }),
        ] {
            let plain: RxJsonRpcMessage<RoleClient> =
                serde_json::from_value(message.clone()).unwrap();
            let ours = read(&mut waiting_for(7), &message);
            assert_eq!(format!("{ours:?}"), format!("{plain:?}"), "{message}");
        }
        let both = json!({ "jsonrpc": "2.0", "id": 7, "result": { "content": text }, "error": {} });
        assert!(waiting_for(7).read(both.to_string().as_bytes()).is_err());
        assert!(waiting_for(7).read(b"Server started").is_err());
    }

    #[test]
    fn nothing_is_kept_of_calls_that_are_over() {
        let mut answers = waiting_for(7);
        let refusal = json!({ "code": -32602, "message": "no" });
        read(&mut answers, &json!({ "jsonrpc": "2.0", "id": 7, "error": refusal }));
        assert!(answers.expected.is_empty());
        let mut answers = waiting_for(7);
        let note = CancelledNotificationParam::new(Some(RequestId::Number(7)), None);
        let note = ClientNotification::CancelledNotification(CancelledNotification::new(note));
        answers.note_sent(&JsonRpcMessage::notification(note));
        assert!(answers.expected.is_empty());
    }
}
