//! Wrong and ill-meant messages at the MCP door: a clear answer each, and nobody is disturbed.

use std::{future::Future, time::Duration};

use hyper::{Method, StatusCode};
use toolsmith_core::{Value, json};
use toolsmith_gateway::{Doorkeeper, GatewayConfig};

use super::{
    mcp::{Back, begin, begin_with, exchange, hello, open, send},
    support::{Keys, Running},
};

/// How long anything may take: plenty for a machine under load.
const PATIENCE: Duration = Duration::from_secs(30);

const JSON: (&str, &str) = ("content-type", "application/json");
const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// Waits for something that must not hang.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.unwrap()
}

/// Posts within a session.
async fn post(running: &Running, session: &str, body: impl Into<bytes::Bytes>) -> Back {
    let headers = [JSON, ("mcp-session-id", session)];
    soon(exchange(running, Method::POST, &headers, body)).await
}

/// The session still answers.
async fn is_alive(running: &Running, session: &str) {
    let back = post(running, session, PING).await;
    assert_eq!((back.status, &back.messages[0]["result"]), (StatusCode::OK, &json!({})));
}

fn code(back: &Back) -> Option<i64> {
    back.messages.first().and_then(|message| message["error"]["code"].as_i64())
}

#[tokio::test]
async fn names_that_are_kept_are_short() {
    let gateway = Running::start().await;
    for key in ["conversation_id", "thread_id", "task_id", "workflow_id", "idempotency_key"] {
        let call = |name: String| json!({ "tool_id": "echo", "params": { "message": "hi" }, "context": { key: name } });
        let long = gateway.post("/run_tool", call("x".repeat(513)).to_string()).await;
        assert_eq!(long.0.as_u16(), 400, "{key}");
        let good = gateway.post("/run_tool", call("é".repeat(512)).to_string()).await;
        assert_eq!(good.0.as_u16(), 200, "{key}");
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_its_code() {
    let running = Running::start().await;
    let session = begin(&running, json!({})).await;
    let with_id = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (body, expected) in [
        (Vec::new(), -32700),
        (b"{".to_vec(), -32700),
        (b"nonsense".to_vec(), -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}".to_vec(), -32700),
        (format!("[{PING},{PING}]").into_bytes(), -32600),
        (deep(100_000).into_bytes(), -32600),
        (with_id(&deep(100_000)).into_bytes(), -32600),
        (with_id("null").into_bytes(), -32600),
        (with_id("true").into_bytes(), -32600),
        (with_id("1.5").into_bytes(), -32600),
        (with_id("1e3").into_bytes(), -32600),
        (with_id("{}").into_bytes(), -32600),
        (with_id(&format!("\"{}\"", "x".repeat(1 << 20))).into_bytes(), -32600),
        (with_id(&"9".repeat(1 << 20)).into_bytes(), -32600),
        (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#.to_vec(), -32600),
        (br#"{"id":1,"method":"ping"}"#.to_vec(), -32600),
    ] {
        let shown: String = String::from_utf8_lossy(&body).chars().take(80).collect();
        let back = post(&running, &session, body).await;
        assert_eq!((back.status.as_u16(), code(&back)), (400, Some(expected)), "{shown}");
        let message = back.messages[0]["error"]["message"].as_str().unwrap();
        assert!(!message.is_empty() && message.len() < 1_000, "{shown}: {message}");
    }
    is_alive(&running, &session).await;
}

#[tokio::test]
async fn parameters_that_cannot_be_read_are_refused_with_the_id() {
    let running = Running::start().await;
    let session = begin(&running, json!({})).await;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    for params in [
        "7".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{"name":7}"#.to_owned(),
        r#"{"name":"echo","name":"sleep"}"#.to_owned(),
        r#"{"name":"echo","arguments":{"message":1,"message":2}}"#.to_owned(),
        format!(r#"{{"name":"echo","arguments":{{"message":{deep}}}}}"#),
        format!(r#"{{"name":{long}}}"#),
        format!(r#"{{"name":"echo","_meta":{deep}}}"#),
    ] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{params}}}"#);
        let back = post(&running, &session, body).await;
        let shown: String = params.chars().take(80).collect();
        assert_eq!((back.status.as_u16(), code(&back)), (200, Some(-32602)), "{shown}");
        assert_eq!(back.messages[0]["id"], "a");
        assert!(back.messages[0].to_string().len() < 4_000, "{shown}");
    }
    is_alive(&running, &session).await;
}

#[tokio::test]
async fn only_json_is_taken_and_only_known_forms_are_given() {
    let running = Running::start().await;
    let session = begin(&running, json!({})).await;
    let named = ("mcp-session-id", session.as_str());
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let headers = [named, ("content-type", kind)];
        let back = soon(exchange(&running, Method::POST, &headers, PING)).await;
        assert_eq!(back.status.as_u16(), 415, "{kind}");
    }
    let back = soon(exchange(&running, Method::POST, &[named], PING)).await;
    assert_eq!(back.status.as_u16(), 415);
    let headers = [named, ("content-type", "Application/JSON; charset=utf-8")];
    assert_eq!(soon(exchange(&running, Method::POST, &headers, PING)).await.status.as_u16(), 200);
    for (method, accept) in [(Method::POST, "text/html"), (Method::GET, "application/json")] {
        let headers = [named, JSON, ("accept", accept)];
        let back = soon(exchange(&running, method.clone(), &headers, PING)).await;
        assert_eq!((back.status.as_u16(), code(&back)), (406, Some(-32600)), "{method}");
    }
    for method in [Method::PUT, Method::PATCH] {
        let back = soon(exchange(&running, method, &[named, JSON], PING)).await;
        assert_eq!(back.status.as_u16(), 405);
    }
    is_alive(&running, &session).await;
}

#[tokio::test]
async fn a_session_that_was_never_opened_is_not_there() {
    let running = Running::start().await;
    let session = begin(&running, json!({})).await;
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let back = soon(exchange(&running, Method::POST, &[JSON], list)).await;
    assert_eq!((back.status.as_u16(), code(&back)), (400, Some(-32600)));
    let mut near = session.clone();
    near.replace_range(..1, if session.starts_with('0') { "1" } else { "0" });
    let long = "f".repeat(4_000);
    for forged in [near.as_str(), "0", "", "../../etc/passwd", "+1", &long, &session[1..]] {
        let headers = [JSON, ("mcp-session-id", forged)];
        for method in [Method::POST, Method::GET, Method::DELETE] {
            let back = soon(exchange(&running, method.clone(), &headers, list)).await;
            let expected = (404, Some(-32001));
            assert_eq!((back.status.as_u16(), code(&back)), expected, "{method} {forged:?}");
        }
    }
    let back = soon(exchange(&running, Method::GET, &[], "")).await;
    assert_eq!(back.status.as_u16(), 405);
    let back = soon(exchange(&running, Method::DELETE, &[], "")).await;
    assert_eq!((back.status.as_u16(), code(&back)), (400, Some(-32600)));
    is_alive(&running, &session).await;
}

#[tokio::test]
async fn a_session_of_another_caller_cannot_be_used_heard_or_ended() {
    let keys = Keys::new().await;
    let running = Running::behind(keys.door(), Vec::new(), GatewayConfig::default()).await;
    let (mine, theirs) = (keys.make("me", |_| {}).await, keys.make("they", |_| {}).await);
    let [mine, theirs] = [mine, theirs].map(|key| format!("Bearer {key}"));
    let session = begin_with(&running, &[("authorization", &mine)], &json!({})).await;
    let as_who = |who| [JSON, ("authorization", who), ("mcp-session-id", session.as_str())];
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let back = soon(exchange(&running, method.clone(), &as_who(&theirs), PING)).await;
        assert_eq!((back.status.as_u16(), code(&back)), (404, Some(-32001)), "{method}");
        let back = soon(exchange(&running, method.clone(), &as_who("Bearer no"), PING)).await;
        assert_eq!(back.status.as_u16(), 401, "{method}");
    }
    let back = soon(exchange(&running, Method::POST, &as_who(&mine), PING)).await;
    assert_eq!(back.status.as_u16(), 200);
    let back = soon(exchange(&running, Method::DELETE, &as_who(&mine), "")).await;
    assert_eq!(back.status.as_u16(), 204);
    let back = soon(exchange(&running, Method::POST, &as_who(&mine), PING)).await;
    assert_eq!((back.status.as_u16(), code(&back)), (404, Some(-32001)));
}

#[tokio::test]
async fn what_wants_no_answer_gets_none_and_does_nothing() {
    let running = Running::start().await;
    let session = begin(&running, json!({})).await;
    let body = r#"{"jsonrpc":"2.0","id":5,"method":"notifications/initialized"}"#;
    let back = post(&running, &session, body).await;
    assert_eq!((back.status.as_u16(), code(&back)), (200, Some(-32601)));
    for body in [
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[[]]}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#,
        r#"{"jsonrpc":"2.0","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"99","error":7}"#,
    ] {
        let back = post(&running, &session, body).await;
        assert_eq!((back.status.as_u16(), back.messages.len()), (202, 0), "{body}");
    }
    is_alive(&running, &session).await;
}

#[tokio::test]
async fn readers_of_endless_streams_hold_their_session_and_not_longer() {
    let config = GatewayConfig { max_mcp_sessions: 2, ..GatewayConfig::default() };
    let running = Running::behind(Doorkeeper::local(), Vec::new(), config).await;
    let mut readers = Vec::new();
    for _ in 0..2 {
        let session = begin(&running, json!({})).await;
        // Without the header, any form is taken.
        let headers = [("mcp-session-id", session.as_str())];
        let (response, connection) = soon(open(&running, Method::GET, &headers, "")).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        readers.push((session, response, connection));
    }
    let hello = hello(&json!({}));
    let back = soon(send(&running, Method::POST, &[], &hello)).await;
    assert_eq!((back.status.as_u16(), code(&back)), (503, Some(-32603)));
    for (session, _, _) in &readers {
        is_alive(&running, session).await;
    }
    drop(readers);
    soon(async {
        while send(&running, Method::POST, &[], &hello).await.status != StatusCode::OK {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_has_one_stream_and_the_gateway_ends_while_it_is_read() {
    let config =
        GatewayConfig { shutdown_timeout: Duration::from_hours(1), ..GatewayConfig::default() };
    let running = Running::with(Vec::new(), config).await;
    let session = begin(&running, json!({})).await;
    let headers = [("mcp-session-id", session.as_str()), ("accept", "text/event-stream")];
    let (first, _one) = soon(open(&running, Method::GET, &headers, "")).await;
    let (second, _two) = soon(open(&running, Method::GET, &headers, "")).await;
    let end = |response| async { http_body_util::BodyExt::collect(response).await.map(drop) };
    soon(end(first.into_body())).await.unwrap();
    is_alive(&running, &session).await;
    running.stop.cancel();
    soon(end(second.into_body())).await.ok();
    soon(running.serving).await.unwrap();
}

#[tokio::test]
async fn a_request_that_stands_for_itself_must_say_the_same_twice() {
    let running = Running::start().await;
    let about = |revision: &str| -> Value {
        json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    };
    let call = |about: Value| {
        let params = json!({ "name": "echo", "arguments": { "message": "hi" }, "_meta": about });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
    };
    let right = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call")];
    for (header, body, expected) in [
        (("mcp-name", "echo"), call(about("2026-07-28")), (200, None)),
        (("mcp-name", "sleep"), call(about("2026-07-28")), (400, Some(-32020))),
        (("x-other", "echo"), call(about("2026-07-28")), (400, Some(-32020))),
        (("mcp-name", "=?base64?/w==?="), call(about("2026-07-28")), (400, Some(-32020))),
        (("mcp-name", "echo"), call(about("2025-11-25")), (400, Some(-32020))),
        (("mcp-name", "echo"), call(Value::Null), (400, Some(-32602))),
        (("mcp-name", "echo"), format!("[{}]", call(about("2026-07-28"))), (400, Some(-32600))),
    ] {
        let headers = [&right[..], &[header]].concat();
        let back = soon(send(&running, Method::POST, &headers, &body)).await;
        assert_eq!((back.status.as_u16(), code(&back)), expected, "{header:?} {body}");
    }
    let unknown = [("mcp-protocol-version", "2031-01-01"), ("mcp-method", "ping")];
    let back = soon(send(&running, Method::POST, &unknown, PING)).await;
    assert_eq!(back.status.as_u16(), 400);
}
