//! Reads the messages of a server; the answers to calls in one pass.
//!
//! The library tells messages apart by trying every form that one could have, on a copy of it. Nearly
//! all that a server sends are answers to calls, which are known by their numbers: such an answer is
//! read as what it is. Everything else is left to the library.

use rmcp::{
    ErrorData, RoleClient,
    model::{
        CallToolResult, ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, JsonRpcVersion2_0,
        RequestId, ServerResult,
    },
    service::RxJsonRpcMessage,
};
use serde::Deserialize;

use super::calls::{Answer, FIRST};

/// A message of a server.
#[derive(Debug)]
pub(super) enum Message {
    /// The answer to the call of this number.
    Answer(i64, Answer),
    /// What the library sees to.
    Other(RxJsonRpcMessage<RoleClient>),
}

/// The answer to a call, and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Success {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: i64,
    result: CallToolResult,
}

/// Reads a message.
pub(super) fn read(line: &[u8]) -> serde_json::Result<Message> {
    if let Ok(Success { id: id @ FIRST.., result, .. }) = serde_json::from_slice(line) {
        return Ok(Message::Answer(id, Ok(ServerResult::CallToolResult(result))));
    }
    let message: RxJsonRpcMessage<RoleClient> = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => return unreadable(line, &error).ok_or(error),
    };
    Ok(Message::from(message))
}

impl From<RxJsonRpcMessage<RoleClient>> for Message {
    /// Tells the answer to a call from what the library sees to.
    fn from(message: RxJsonRpcMessage<RoleClient>) -> Self {
        let number = answered(&message).and_then(number_of);
        match (number, message) {
            (Some(number), JsonRpcMessage::Response(response)) => {
                Self::Answer(number, Ok(response.result))
            }
            (Some(number), JsonRpcMessage::Error(refusal)) => {
                Self::Answer(number, Err(refusal.error))
            }
            (_, message) => Self::Other(message),
        }
    }
}

/// Reads a message that came back with the call of this number; its answer in one pass.
///
/// An error that names no request can mean nothing else than this one.
pub(super) fn read_back(number: i64, text: &[u8]) -> serde_json::Result<Message> {
    if let Ok(Success { id, result, .. }) = serde_json::from_slice(text)
        && id == number
    {
        return Ok(Message::Answer(number, Ok(ServerResult::CallToolResult(result))));
    }
    let message: RxJsonRpcMessage<RoleClient> = serde_json::from_slice(text)?;
    Ok(match Message::from(message) {
        Message::Other(JsonRpcMessage::Error(refusal)) if refusal.id.is_none() => {
            Message::Answer(number, Err(refusal.error))
        }
        message => message,
    })
}

/// Reads the answer to a message that we have sent; that to a call in one pass.
pub(super) fn read_for(
    sent: &ClientJsonRpcMessage,
    body: &[u8],
) -> serde_json::Result<RxJsonRpcMessage<RoleClient>> {
    if let ClientJsonRpcMessage::Request(request) = sent
        && matches!(request.request, ClientRequest::CallToolRequest(_))
        && let Ok(Success { id, result, .. }) = serde_json::from_slice(body)
        && request.id == RequestId::Number(id)
    {
        let result = ServerResult::CallToolResult(result);
        return Ok(JsonRpcMessage::response(result, RequestId::Number(id)));
    }
    serde_json::from_slice(body)
}

/// Fails the call that a message answers, though the rest of it cannot be read: half of a character,
/// or lists in lists without end. The call would wait for its deadline otherwise.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Option<Message> {
    #[derive(Deserialize)]
    struct Head {
        id: i64,
    }
    let Head { id } = serde_json::from_slice(line).ok().filter(|head: &Head| head.id >= FIRST)?;
    let failure = ErrorData::internal_error(format!("its answer cannot be read: {error}"), None);
    Some(Message::Answer(id, Err(failure)))
}

/// Returns which request a message answers.
pub(super) fn answered(message: &RxJsonRpcMessage<RoleClient>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

/// Returns the number of a call; some servers answer to a number as text.
fn number_of(id: &RequestId) -> Option<i64> {
    let number = match id {
        RequestId::Number(number) => *number,
        RequestId::String(text) => text.parse().ok()?,
    };
    Some(number).filter(|number| *number >= FIRST)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolRequest, CallToolRequestParams};
    use serde_json::{Value, json};

    use super::*;

    fn heard(message: &Value) -> Message {
        read(message.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_answer_to_a_call_is_one_whatever_else_it_looks_like() {
        let result = json!({ "content": [{ "type": "text", "text": "3" }], "tools": [] });
        for id in [json!(FIRST + 7), json!((FIRST + 7).to_string())] {
            let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            let Message::Answer(number, Ok(_)) = heard(&message) else { panic!("{message}") };
            assert_eq!(number, FIRST + 7);
        }
        let message = json!({ "jsonrpc": "2.0", "id": FIRST, "result": result });
        let Message::Answer(_, answer) = heard(&message) else { panic!("{message}") };
        assert!(matches!(answer, Ok(ServerResult::CallToolResult(_))));
    }

    #[test]
    fn the_answer_to_a_call_that_was_sent_is_read_as_one() {
        let params = CallToolRequestParams::new("echo");
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = ClientJsonRpcMessage::request(call, RequestId::Number(7));
        let answer = |id: i64| {
            let result = json!({ "content": [{ "type": "text", "text": "3" }], "tools": [] });
            let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            read_for(&sent, message.to_string().as_bytes()).unwrap()
        };
        let JsonRpcMessage::Response(response) = answer(7) else { panic!("no response") };
        assert_eq!(response.id, RequestId::Number(7));
        assert!(matches!(response.result, ServerResult::CallToolResult(_)));
        assert_eq!(answered(&answer(8)), Some(&RequestId::Number(8)));
        let refusal = br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#;
        assert!(matches!(read_for(&sent, refusal), Ok(JsonRpcMessage::Error(_))));
    }

    #[test]
    fn questions_and_refusals_of_a_call_come_to_it() {
        let asked = json!({ "resultType": "input_required", "requestState": "x" });
        let asked = json!({ "jsonrpc": "2.0", "id": FIRST, "result": asked });
        let refusal = json!({ "code": -32602, "message": "no" });
        let refused = json!({ "jsonrpc": "2.0", "id": FIRST, "error": refusal });
        let Message::Answer(FIRST, Ok(ServerResult::InputRequiredResult(_))) = heard(&asked) else {
            panic!("{asked}")
        };
        let Message::Answer(FIRST, Err(error)) = heard(&refused) else { panic!("{refused}") };
        assert_eq!(error.message, "no");
    }

    #[test]
    fn an_answer_that_cannot_be_read_fails_its_call_and_no_other() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        for rest in [r#"{"content": [{"type": "text", "text": "\ud800"}]}"#, &deep] {
            let line = format!(r#"{{"jsonrpc": "2.0", "id": {FIRST}, "result": {rest}}}"#);
            let Message::Answer(FIRST, Err(error)) = read(line.as_bytes()).unwrap() else {
                panic!("{line:.80}")
            };
            assert!(error.message.contains("cannot be read"), "{}", error.message);
            let other = line.replace(&FIRST.to_string(), "7");
            assert!(read(other.as_bytes()).is_err(), "the library's own requests are its affair");
        }
    }

    #[test]
    fn everything_else_is_read_as_the_library_reads_it() {
        let text = json!([{ "type": "text", "text": "3" }]);
        for message in [
            json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": -32602, "message": "no" } }),
            json!({ "jsonrpc": "2.0", "error": { "code": -32700, "message": "no" } }),
            json!({ "jsonrpc": "2.0", "id": 8, "result": { "content": text } }),
            json!({ "jsonrpc": "2.0", "id": "x", "result": { "content": text } }),
            json!({ "jsonrpc": "2.0", "id": 7, "result": { "tools": [] } }),
            json!({ "jsonrpc": "2.0", "id": FIRST, "method": "ping" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }),
        ] {
            let plain: RxJsonRpcMessage<RoleClient> =
                serde_json::from_value(message.clone()).unwrap();
            let Message::Other(ours) = heard(&message) else { panic!("{message}") };
            assert_eq!(format!("{ours:?}"), format!("{plain:?}"), "{message}");
        }
        let result = json!({ "content": text });
        let both = json!({ "jsonrpc": "2.0", "id": 7, "result": result, "error": {} });
        assert!(read(both.to_string().as_bytes()).is_err());
        assert!(read(b"Server started").is_err());
    }
}
