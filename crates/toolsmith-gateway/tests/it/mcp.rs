//! The MCP door, message by message.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response, StatusCode, body::Incoming, client::conn::http1, header::HeaderMap,
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinHandle};
use toolsmith_core::{Value, json};

use super::{conformance::fixtures, support::Running};

/// What came back: the status, the headers, and the messages.
pub(crate) struct Back {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) messages: Vec<Value>,
}

/// Sends a request to the door, with the headers that every client has.
pub(crate) async fn send(
    running: &Running,
    method: Method,
    headers: &[(&str, &str)],
    body: &str,
) -> Back {
    let usual =
        [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    exchange(running, method, &[&usual, headers].concat(), body.to_owned()).await
}

/// Sends a request with these headers only, and waits for the whole answer.
pub(crate) async fn exchange(
    running: &Running,
    method: Method,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Back {
    let (response, _connection) = open(running, method, headers, body).await;
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

/// Sends a request, and returns the answer with its connection, which closes when it is dropped.
pub(crate) async fn open(
    running: &Running,
    method: Method,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> (Response<Incoming>, AbortOnDrop) {
    open_at(running, "/mcp", method, headers, body).await
}

/// The same, at another address.
pub(crate) async fn open_at(
    running: &Running,
    path: &str,
    method: Method,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> (Response<Incoming>, AbortOnDrop) {
    let stream = TcpStream::connect(running.address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let connection = AbortOnDrop(tokio::spawn(async move {
        connection.await.ok();
    }));
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body.into())).unwrap();
    (sender.send_request(request).await.unwrap(), connection)
}

/// A connection that closes with the end of its test.
pub(crate) struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The message that begins a session.
pub(crate) fn hello(capabilities: &Value) -> String {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }).to_string()
}

/// Begins a session, and returns its name.
pub(crate) async fn begin(running: &Running, capabilities: Value) -> String {
    begin_with(running, &[], &capabilities).await
}

/// The same, with more headers.
pub(crate) async fn begin_with(
    running: &Running,
    headers: &[(&str, &str)],
    capabilities: &Value,
) -> String {
    let back = send(running, Method::POST, headers, &hello(capabilities)).await;
    assert_eq!(back.status, StatusCode::OK);
    back.headers["mcp-session-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn progress_comes_before_the_result() {
    let running = fixtures().await.running;
    let session = begin(&running, json!({})).await;
    let call = json!({
        "jsonrpc": "2.0", "id": "a", "method": "tools/call",
        "params": { "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": 7 } },
    });
    let headers = [("mcp-session-id", session.as_str())];
    let back = send(&running, Method::POST, &headers, &call.to_string()).await;
    assert_eq!(back.messages.len(), 4, "{:?}", back.messages);
}
