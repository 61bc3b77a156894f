//! Requests that are wrong get a clear answer, and disturb nobody.

use std::time::Duration;

use toolsmith_core::{Value, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::Running;

#[tokio::test]
async fn what_cannot_be_read_is_a_bad_request_that_says_why() {
    let gateway = Running::start().await;
    let deep = format!(r#"{{"tool_id":"echo","params":{}1{}}}"#, "[".repeat(500), "]".repeat(500));
    for (body, said) in [
        (b"{".to_vec(), "it ends in the middle of an object"),
        (b"[]".to_vec(), "found a list, expected an object"),
        (br#"{"params": {}}"#.to_vec(), "missing is `tool_id`"),
        (br#"{"tool_id": "echo", "tool_id": "sleep"}"#.to_vec(), "duplicate field `tool_id`"),
        (
            br#"{"tool_id": "echo", "params": {"a": {"b": 1, "b": 2}}}"#.to_vec(),
            "`b` is there twice",
        ),
        (br#"{"tool_id": "echo", "parms": {}}"#.to_vec(), "there is no `parms`, only `tool_id`"),
        (b"{\"tool_id\": \"\xff\"}".to_vec(), "invalid unicode"),
        (deep.into_bytes(), "recursion limit"),
        (br#"{"tool_id": "echo", "context": {"timeout": -1}}"#.to_vec(), "context.timeout"),
        (br#"{"tool_id": "echo", "context": {"timeout": 1e999}}"#.to_vec(), "number out of range"),
    ] {
        let shown = String::from_utf8_lossy(&body).into_owned();
        let (status, answer) = gateway.post("/run_tool", body).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(status.as_u16(), 400, "{shown}");
        assert!(message.contains(said), "{shown}: {message}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_whether_it_says_so_or_not() {
    let config = GatewayConfig { max_body_bytes: 1_000, ..GatewayConfig::default() };
    let gateway = Running::with(Vec::new(), config).await;
    let (status, answer) = gateway.post("/run_tool", vec![b' '; 1_001]).await;
    assert_eq!((status.as_u16(), &answer["error"]["type"]), (413, &json!("too_large")));
    let chunk = format!("3e9\r\n{}\r\n0\r\n\r\n", " ".repeat(1_001));
    let head = "POST /run_tool HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
                content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    let answer = gateway.raw(format!("{head}{chunk}").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn other_types_addresses_and_methods_are_refused() {
    let gateway = Running::start().await;
    for (head, status) in [
        ("POST /run_tool HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n", 415),
        ("POST /run_tool HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n", 415),
        ("GET /run_tool HTTP/1.1\r\nhost: localhost\r\n", 405),
        ("GET /nowhere HTTP/1.1\r\nhost: localhost\r\n", 404),
        ("GET /tools?nonsense=1 HTTP/1.1\r\nhost: localhost\r\n", 400),
    ] {
        let answer = gateway.raw(format!("{head}connection: close\r\n\r\n").as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{head}: {answer}");
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let body: Value = serde_json::from_str(body).unwrap();
        assert!(body["error"]["message"].is_string(), "{body}");
    }
}

#[tokio::test]
async fn who_sends_too_slowly_is_let_go() {
    let config =
        GatewayConfig { read_timeout: Duration::from_millis(100), ..GatewayConfig::default() };
    let gateway = Running::with(Vec::new(), config).await;
    // A head that never ends, and a body that never comes.
    gateway.raw(b"GET /health HTTP/1.1\r\nhost:").await;
    let head = "POST /run_tool HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 5\r\n\r\n{";
    let answer = gateway.raw(head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}
