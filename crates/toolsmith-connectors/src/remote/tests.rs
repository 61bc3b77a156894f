//! Services elsewhere, played by a small server on this machine.

use std::{path::Path, sync::Arc};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use toolsmith_core::{ErrorKind, Executor, Value, Work, json};
use toolsmith_net::{Client, Settings};

use super::RemoteMaker;
use crate::workbench::{self, Bench};

/// A server that answers every request alike, and keeps what it was sent.
struct Elsewhere {
    url: String,
    heard: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Elsewhere {
    async fn open(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let ear = Arc::clone(&heard);
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut bytes = vec![0; 64 * 1024];
                let count = stream.read(&mut bytes).await.unwrap();
                ear.lock().push(String::from_utf8_lossy(&bytes[..count]).into_owned());
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { url, heard, task }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn maker() -> RemoteMaker {
    RemoteMaker::new(Client::new(Settings::default()).unwrap())
}

fn tool(entry: &Value) -> Bench {
    workbench::make(&maker(), entry, &[], Path::new(".")).unwrap()
}

const FINE: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\
                    connection: close\r\n\r\n{\"fine\":true}";

#[tokio::test]
async fn calls_are_forwarded_with_headers_and_token() {
    let server = Elsewhere::open(FINE).await;
    let entry = json!({
        "url": format!("{}/", server.url),
        "endpoint_path": "/run",
        "headers": { "X-Team": "blue" },
        "token": "${TOKEN}",
    });
    let output = tool(&entry).call(json!({ "x": 1 })).await.unwrap();
    assert_eq!(output, json!({ "fine": true }));
    let heard = server.heard.lock().concat().to_lowercase();
    assert!(heard.starts_with("post /run http/1.1"), "{heard}");
    for part in ["x-team: blue", "authorization: bearer s3cret-token", "{\"x\":1}"] {
        assert!(heard.contains(part), "{part} in {heard}");
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = tool(&json!({ "url": url })).call(json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    assert_eq!(error.message(), format!("`{url}` could not be reached. Try again later."));
}

#[tokio::test]
async fn after_a_failure_its_health_is_asked_first() {
    let broken = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\nconnection: close\r\n\r\n{";
    let server = Elsewhere::open(broken).await;
    let tool = tool(&json!({ "url": server.url, "health": { "path": "/health", "timeout": 5 } }));
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("the call may have run"), "{error}");
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("is not well: its health check `/health`"), "{error}");
    let heard = server.heard.lock();
    assert!(heard[0].starts_with("POST / ") && heard[1].starts_with("GET /health "), "{heard:?}");
    assert_eq!(heard.len(), 2);
}

#[test]
fn tools_of_one_address_share_a_breaker() {
    let tool = tool(&json!({ "url": "https://a.example:8443" }));
    let Work::Async(executor) = &tool.work else { panic!("no executor") };
    assert_eq!(Executor::upstream(&**executor), Some("https://a.example:8443"));
}

#[test]
fn wrong_entries_say_what_is_wrong() {
    for (entry, expected) in [
        (
            json!({}),
            "/entry: `url` is missing: say where the service is, for example https://host:8443",
        ),
        (
            json!({ "url": "host:1" }),
            "/entry/url: expected an address such as https://host:8443, found \"host:1\"",
        ),
        (
            json!({ "url": "http://h", "headers": { "a b": "x" } }),
            "/entry/headers/a b: \"a b\" is no name of a header",
        ),
    ] {
        let faults = workbench::make(&maker(), &entry, &[], Path::new(".")).err();
        assert_eq!(faults, Some(vec![expected.to_owned()]));
    }
}
