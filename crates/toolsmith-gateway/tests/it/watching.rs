//! What is told of requests: the access log, ids in headers, and health for who watches.

use std::{fs, time::Duration};

use hyper::StatusCode;
use tokio::{io::AsyncWriteExt, net::TcpStream};
use toolsmith_core::{Role, Tool, ToolSpec, Value, json};
use toolsmith_gateway::{AccessLog, AccessTarget, GatewayConfig};

use crate::support::{Keys, Running};

/// Sends a request by hand and returns the head of the answer.
async fn head(running: &Running, request: &str) -> String {
    let request = request.replace('\n', "\r\n");
    let answer = running.raw(request.as_bytes()).await;
    answer.split("\r\n\r\n").next().unwrap().to_owned()
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Waits until a file has so many lines.
async fn wait_for(path: &std::path::Path, count: usize) -> Vec<Value> {
    for _ in 0..1_000 {
        let lines = lines(path);
        if lines.len() >= count {
            return lines;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} has {} lines", path.display(), lines(path).len());
}

#[tokio::test]
async fn a_request_is_a_line_that_tells_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(AccessTarget::File(path.clone())).unwrap();
    let keys = Keys::new().await;
    let key = keys.make("caller", |_| ()).await;
    let config = GatewayConfig { access_log: Some(log.clone()), ..GatewayConfig::default() };
    let running = Running::recording_with(&keys, Vec::new(), config).await;
    let call = r#"{"tool_id":"echo","params":{"message":"between us"}}"#;
    let length = call.len();
    let said = head(
        &running,
        &format!(
            "POST /run_tool?async=false HTTP/1.1\nhost: localhost\nx-api-key: {key}\n\
             x-request-id: mine-1\ncontent-type: application/json\ncontent-length: {length}\n\
             connection: close\n\n{call}"
        ),
    )
    .await;
    assert_eq!(header(&said, "x-request-id"), Some("mine-1"));
    let call_id = header(&said, "x-call-id").unwrap();
    let refused =
        head(&running, "GET /tools/a?key=hunter2 HTTP/1.1\nhost: localhost\nconnection: close\n\n")
            .await;
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
    assert_eq!(header(&refused, "x-request-id").unwrap().len(), 32);
    let told = wait_for(&path, 2).await;
    let line = &told[0];
    assert_eq!(line["call_id"], call_id);
    assert_eq!((&line["request_id"], &line["method"]), (&json!("mine-1"), &json!("POST")));
    assert_eq!((&line["route"], &line["path"]), (&json!("/run_tool"), &json!("/run_tool")));
    assert_eq!((&line["status"], &line["peer"]), (&json!(200), &json!("127.0.0.1")));
    assert!(line["bytes"].as_u64().unwrap() > 50);
    assert!(line["duration_ms"].as_f64().unwrap() > 0.0);
    // The caller is known by the name of its key, never by the key.
    let caller = running.get_as(&key, "/calls").await.1["calls"][0]["caller_id"].clone();
    assert_eq!(line["caller"], caller);
    assert_eq!((&told[1]["status"], &told[1]["caller"]), (&json!(401), &Value::Null));
    assert_eq!(told[1]["route"], "/tools/{name}");
    let text = fs::read_to_string(&path).unwrap();
    for secret in [key.as_str(), "hunter2", "between us", "async"] {
        assert!(!text.contains(secret), "{text}");
    }
    log.close();
}

#[tokio::test]
async fn a_log_that_is_moved_away_is_begun_again_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(AccessTarget::File(path.clone())).unwrap();
    let config = GatewayConfig { access_log: Some(log.clone()), ..GatewayConfig::default() };
    let running = Running::with(Vec::new(), config).await;
    running.get("/health").await;
    wait_for(&path, 1).await;
    let moved = folder.path().join("access.log.1");
    fs::rename(&path, &moved).unwrap();
    let mut sent = 1;
    while !path.exists() {
        assert!(sent < 1_000);
        running.get("/health").await;
        sent += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    log.close();
    assert_eq!(lines(&moved).len() + lines(&path).len(), sent);
    assert_eq!(log.dropped(), 0);
}

#[tokio::test]
async fn calls_by_mcp_and_clients_that_leave_are_told_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.log");
    let log = AccessLog::open(AccessTarget::File(path.clone())).unwrap();
    let config = GatewayConfig { access_log: Some(log.clone()), ..GatewayConfig::default() };
    let running = Running::with(vec![endless()], config).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "echo", "arguments": {"message": "hi"}, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (message, length) = (message.to_string(), message.to_string().len());
    let request = format!(
        "POST /mcp HTTP/1.1\nhost: localhost\nconnection: close\naccept: application/json\n\
         content-type: application/json\nmcp-protocol-version: 2026-07-28\n\
         mcp-method: tools/call\nmcp-name: echo\ncontent-length: {length}\n\n{message}"
    );
    let said = head(&running, &request).await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    let told = wait_for(&path, 1).await;
    assert_eq!(told[0]["call_id"].as_str().unwrap().len(), 36);

    let call = r#"{"tool_id":"endless"}"#;
    let length = call.len();
    let request = format!(
        "POST /run_tool HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{call}"
    );
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    while running.engine.metrics().open_calls == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(stream);
    let told = wait_for(&path, 2).await;
    assert_eq!((&told[1]["status"], &told[1]["bytes"]), (&json!(499), &Value::Null));
    log.close();
}

fn endless() -> Tool {
    let spec = ToolSpec::new("endless").unwrap();
    Tool::function(spec, |_, _| async {
        std::future::pending::<()>().await;
        Ok(json!(null))
    })
}

#[tokio::test]
async fn a_log_that_cannot_be_written_is_said_at_once() {
    assert!(AccessLog::open(AccessTarget::File("/nowhere/at/all.log".into())).is_err());
}

#[tokio::test]
async fn who_watches_hears_that_it_lives_and_whether_it_takes_calls() {
    let keys = Keys::new().await;
    keys.make("boss", |new| new.role = Role::Admin).await;
    let running = Running::recording(&keys, Vec::new()).await;
    for path in ["/health", "/health/live", "/health/ready"] {
        let (status, said) = running.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert!(said["parts"].is_null());
    }
}
