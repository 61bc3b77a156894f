//! The MCP door, message by message.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, StatusCode, client::conn::http1, header::HeaderMap};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use toolsmith_core::{Value, json};

use super::{conformance::fixtures, support::Running};

/// What came back: the status, the headers, and the messages.
pub(crate) struct Back {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) messages: Vec<Value>,
}

/// Sends a request to the door.
pub(crate) async fn send(
    running: &Running,
    method: Method,
    headers: &[(&str, &str)],
    body: &str,
) -> Back {
    let stream = TcpStream::connect(running.address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri("/mcp");
    let usual = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    for (name, value) in usual.iter().chain(headers) {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
    let response = sender.send_request(request).await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(body.to_vec()).unwrap();
    let is_stream = headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
    let messages = if is_stream {
        let lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    } else {
        serde_json::from_str(&text).into_iter().collect()
    };
    Back { status, headers, messages }
}

/// Begins a session, and returns its name.
pub(crate) async fn begin(running: &Running, capabilities: Value) -> String {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "test", "version": "1" },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let back = send(running, Method::POST, &[], &hello.to_string()).await;
    assert_eq!(back.status, StatusCode::OK);
    back.headers["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn progress_comes_before_the_result() {
    let running = fixtures().await;
    let session = begin(&running, json!({})).await;
    let call = json!({
        "jsonrpc": "2.0", "id": "a", "method": "tools/call",
        "params": { "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": 7 } },
    });
    let headers = [("mcp-session-id", session.as_str())];
    let back = send(&running, Method::POST, &headers, &call.to_string()).await;
    assert_eq!(back.messages.len(), 4, "{:?}", back.messages);
}
