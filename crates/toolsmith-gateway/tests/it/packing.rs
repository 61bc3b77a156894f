//! Bodies packed by gzip, both ways.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Request, StatusCode, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use toolsmith_core::{Value, json};
use toolsmith_gateway::{Answers, GatewayConfig};

use crate::support::Running;

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

async fn ask(
    running: &Running,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> (StatusCode, HeaderMap, Bytes) {
    let stream = TcpStream::connect(running.address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(body.into())).unwrap();
    let response = sender.send_request(request).await.unwrap();
    let (head, body) = response.into_parts();
    (head.status, head.headers, body.collect().await.unwrap().to_bytes())
}

const JSON: (&str, &str) = ("content-type", "application/json");
const TAKES: (&str, &str) = ("accept-encoding", "br, gzip");

#[tokio::test]
async fn large_answers_are_packed_for_who_takes_them_so() {
    let running = Running::start().await;
    let (_, plain, body) = ask(&running, ("GET", "/tools"), &[], "").await;
    assert!(!plain.contains_key("content-encoding"));
    assert!(plain.get_all("vary").iter().any(|vary| vary == "accept-encoding"));
    let (status, head, small) = ask(&running, ("GET", "/tools"), &[TAKES], "").await;
    assert_eq!((status, &head["content-encoding"]), (StatusCode::OK, &"gzip".parse().unwrap()));
    assert_eq!(unpacked(&small), body);
    assert!(small.len() * 2 < body.len());
    assert_eq!(head["content-length"], small.len().to_string());
    // What the client has already is still good, whichever form it has.
    for tag in [&plain["etag"], &head["etag"]] {
        let known = ("if-none-match", tag.to_str().unwrap());
        let (status, ..) = ask(&running, ("GET", "/tools"), &[TAKES, known], "").await;
        assert_eq!(status, StatusCode::NOT_MODIFIED);
    }
    assert!(head["etag"].to_str().unwrap().starts_with("W/"));
}

#[tokio::test]
async fn small_answers_streams_and_a_server_that_is_told_so_pack_nothing() {
    let running = Running::start().await;
    let call = r#"{"tool_id":"echo","params":{"message":"a"}}"#;
    let (_, head, _) = ask(&running, ("POST", "/run_tool"), &[TAKES, JSON], call).await;
    assert!(!head.contains_key("content-encoding") && !head.contains_key("vary"));
    let events = ("accept", "text/event-stream");
    let long = json!({"tool_id": "echo", "params": {"message": "a".repeat(5_000)}}).to_string();
    let headers = [TAKES, JSON, events];
    let (_, head, body) = ask(&running, ("POST", "/run_tool"), &headers, long.clone()).await;
    assert!(!head.contains_key("content-encoding"));
    assert!(body.len() > 5_000);
    let (_, head, _) = ask(&running, ("POST", "/run_tool"), &[TAKES, JSON], long).await;
    assert!(head.contains_key("content-encoding"));
    let config = GatewayConfig { answers: Answers::Plain, ..GatewayConfig::default() };
    let plain = Running::with(Vec::new(), config).await;
    let (_, head, _) = ask(&plain, ("GET", "/tools"), &[TAKES], "").await;
    assert!(!head.contains_key("content-encoding"));
}

#[tokio::test]
async fn packed_requests_are_read_within_the_same_bound() {
    let config = GatewayConfig { max_body_bytes: 1 << 20, ..GatewayConfig::default() };
    let running = Running::with(Vec::new(), config).await;
    let call = r#"{"tool_id":"echo","params":{"message":"packed"}}"#;
    let gzip = ("content-encoding", "gzip");
    let send = |coding: (&'static str, &'static str), body: Vec<u8>| {
        let running = &running;
        async move {
            let sent = ask(running, ("POST", "/run_tool"), &[JSON, coding], body).await;
            (sent.0.as_u16(), serde_json::from_slice::<Value>(&sent.2).unwrap())
        }
    };
    let (status, outcome) = send(gzip, packed(call)).await;
    assert_eq!((status, &outcome["output"]["message"]), (200, &json!("packed")));
    let bomb = format!(r#"{{"tool_id":"echo","params":{{"message":"{}"}}}}"#, " ".repeat(8 << 20));
    let bomb = packed(&bomb);
    assert!(bomb.len() < 64 << 10);
    assert_eq!(send(gzip, bomb).await.0, 413);
    let (status, said) = send(gzip, call.into()).await;
    assert_eq!((status, &said["error"]["type"]), (400, &json!("bad_request")));
    for coding in ["br", "gzip, gzip", "deflate"] {
        let (status, said) = send(("content-encoding", coding), packed(call)).await;
        assert_eq!(status, 415, "{coding}");
        assert!(said["error"]["message"].as_str().unwrap().contains("gzip"));
    }
    assert_eq!(send(("content-encoding", "identity"), call.into()).await.0, 200);
}
