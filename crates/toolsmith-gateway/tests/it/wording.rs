//! Refusals that say what is wrong and what to do instead.

use hyper::Method;
use toolsmith_core::{Role, json};

use crate::{
    mcp,
    support::{Keys, Running},
};

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_what_to_send() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    for (method, path, said) in [
        (Method::GET, "/tools?cursor=%21%21", "send the `next_cursor` of the page before"),
        (Method::GET, "/tools?cursor=a%20b&limit=1", "send the `next_cursor`"),
        (Method::GET, "/tools?format=mcp&cursor=%00", "send the `next_cursor`"),
        (Method::GET, "/calls?cursor=nope", "send the `next` of the page before"),
        (Method::GET, "/calls/nope", "no id of a call"),
        (Method::GET, "/artifacts/nope", "no id of a call"),
        (Method::POST, "/approvals/nope", "`GET /approvals` lists those that wait"),
    ] {
        let (status, answer) = gateway.send_as(method, &boss, path).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((status.as_u16(), &answer["error"]["type"]), (400, &json!("bad_request")));
        assert!(message.contains(said), "{path}: {message}");
    }
}

#[tokio::test]
async fn a_stream_that_is_refused_by_its_weight_is_not_sent() {
    let gateway = Running::start().await;
    let call = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
    for (accept, form) in [
        ("text/event-stream", "text/event-stream"),
        ("text/event-stream;q=0.1, application/json", "text/event-stream"),
        ("text/event-stream;q=0", "application/json"),
        ("text/event-stream; q=0.0, application/json", "application/json"),
    ] {
        let request = format!(
            "POST /run_tool HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept: {accept}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{call}",
            call.len()
        );
        let answer = gateway.raw(request.as_bytes()).await;
        assert!(answer.contains(&format!("content-type: {form}")), "{accept}: {answer}");
    }
}

#[tokio::test]
async fn mcp_refuses_cursors_and_resources_that_are_none() {
    let gateway = Running::start().await;
    let session = mcp::begin(&gateway, json!({})).await;
    let headers = [("mcp-session-id", session.as_str())];
    for (method, params, said) in [
        ("tools/list", json!({"cursor": "!!"}), Some("`nextCursor` of the page before")),
        ("resources/list", json!({"cursor": "a b"}), Some("`nextCursor` of the page before")),
        ("tools/list", json!({"cursor": "echo"}), None),
        ("resources/subscribe", json!({"uri": "toolsmith://tools/echo"}), None),
        (
            "resources/subscribe",
            json!({"uri": "toolsmith://tools/nope"}),
            Some("Resource not found"),
        ),
        (
            "resources/subscribe",
            json!({"uri": "toolsmith://artifacts/x"}),
            Some("Resource not found"),
        ),
        ("resources/subscribe", json!({"uri": "file:///nope"}), Some("Resource not found")),
    ] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let back = mcp::send(&gateway, Method::POST, &headers, &message.to_string()).await;
        let error = &back.messages[0]["error"];
        match said {
            None => assert!(error.is_null(), "{params}: {error}"),
            Some(said) => {
                let message = error["message"].as_str().unwrap_or_default();
                assert!(message.contains(said), "{params}: {:?}", back.messages);
            }
        }
    }
}
