//! What is wrong as HTTP: a clear answer each, the end of the connection, and nobody is disturbed.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use toolsmith_core::{Value, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::{Running, within};

const HOST: &str = "host: localhost\r\n";
const CLOSE: &str = "connection: close\r\n";
const JSON: &str = "content-type: application/json\r\n";
const ECHO: &str = r#"{"tool_id":"echo","params":{"message":"hi"}}"#;

/// Reads an answer: its status and its document.
fn read(answer: &str) -> (u16, Value) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(head.contains(&format!("content-length: {}", body.len())), "{answer}");
    (status, serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}")))
}

/// Sends bytes, and returns the one answer and that the connection ended.
async fn refused(gateway: &Running, bytes: &[u8]) -> (u16, String) {
    let (status, body) = read(&within(gateway.raw(bytes)).await);
    let error = &body["error"];
    assert!(error["message"].is_string(), "{body}");
    (status, error["type"].as_str().unwrap().to_owned())
}

async fn is_well(gateway: &Running) {
    assert_eq!(gateway.post("/run_tool", ECHO).await.1["output"], json!({"message": "hi"}));
}

fn post(headers: &str, body: &str) -> Vec<u8> {
    format!("POST /run_tool HTTP/1.1\r\n{HOST}{JSON}{headers}\r\n{body}").into_bytes()
}

#[tokio::test]
async fn heads_that_cannot_be_read_are_refused_in_words() {
    let gateway = Running::start().await;
    let many = "x: 1\r\n".repeat(200);
    for (head, expected) in [
        ("GE\0T / HTTP/1.1\r\n".to_owned() + HOST, 400),
        (format!("GET / HTTP/3.7\r\n{HOST}"), 400),
        (format!("GET / HTTP/2.0\r\n{HOST}"), 400),
        (format!("GET /a b HTTP/1.1\r\n{HOST}"), 400),
        (format!("GET / HTTP/1.1\r\n{HOST}x: a\0b\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{HOST}a b: c\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{HOST} folded: yes\r\n"), 400),
        (format!("GET / HTTP/1.1\r\n{HOST}no colon\r\n"), 400),
        ("\u{16}\u{3}\u{1}\u{2}hello of another protocol\r\n".to_owned(), 400),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n".to_owned(), 400),
        (format!("GET / HTTP/1.1\r\n{HOST}{many}"), 431),
        (format!("GET / HTTP/1.1\r\n{HOST}x: {}\r\n", "y".repeat(70_000)), 431),
        (format!("GET /{} HTTP/1.1\r\n{HOST}", "y".repeat(1 << 20)), 431),
        (format!("GET / HTTP/1.1\r\n{HOST}{}", "x: y\r\n".repeat(200_000)), 431),
    ] {
        let shown: String = head.chars().take(60).collect();
        let (status, _) = refused(&gateway, format!("{head}\r\n").as_bytes()).await;
        assert_eq!(status, expected, "{shown:?}");
    }
    is_well(&gateway).await;
}

#[tokio::test]
async fn bodies_whose_end_is_in_doubt_are_refused_or_the_last_of_their_connection() {
    let gateway = Running::start().await;
    for headers in [
        "content-length: 3\r\ncontent-length: 4\r\n",
        "content-length: 3, 4\r\n",
        "content-length: -1\r\n",
        "content-length: +3\r\n",
        "content-length: three\r\n",
        "content-length: 99999999999999999999999\r\n",
        "transfer-encoding: gzip\r\n",
        "transfer-encoding: chunked, gzip\r\n",
    ] {
        assert_eq!(refused(&gateway, &post(headers, "abc")).await.0, 400, "{headers}");
    }
    for body in [
        "zz\r\n{}\r\n0\r\n\r\n",
        "-1\r\n{}\r\n",
        "ffffffffffffffffff\r\n{}\r\n",
        "2\r\n{}XX0\r\n\r\n",
    ] {
        let (status, _) = refused(&gateway, &post("transfer-encoding: chunked\r\n", body)).await;
        assert_eq!(status, 400, "{body:?}");
    }
    // A length and chunks: the chunks count, and what follows them is not read as a request.
    let hidden = format!("GET /health HTTP/1.1\r\n{HOST}\r\n");
    let chunks = format!("{:x}\r\n{ECHO}\r\n0\r\n\r\n{hidden}", ECHO.len());
    for headers in [
        "content-length: 5\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 5\r\n",
    ] {
        let answer = within(gateway.raw(&post(headers, &chunks))).await;
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
        assert_eq!(read(&answer).1["success"], true, "{answer}");
    }
    is_well(&gateway).await;
}

#[tokio::test]
async fn a_request_is_for_the_host_that_its_address_names() {
    let gateway = Running::start().await;
    for (head, expected) in [
        ("GET http://evil.example/tools HTTP/1.1\r\nhost: localhost\r\n", 403),
        ("GET http://localhost@evil.example/tools HTTP/1.1\r\nhost: localhost\r\n", 403),
        ("GET /tools HTTP/1.1\r\nhost: evil.example\r\n", 403),
        ("GET /tools HTTP/1.1\r\nhost: localhost\r\norigin: http://evil.example\r\n", 403),
        ("GET /tools HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n", 400),
        ("GET /tools HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n", 400),
        ("GET /tools HTTP/1.1\r\nhost: local host\r\n", 400),
        ("GET /tools HTTP/1.1\r\n", 400),
        ("GET /tools HTTP/1.0\r\n", 400),
        ("CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n", 403),
        ("GET http://localhost/health HTTP/1.1\r\nhost: localhost\r\n", 200),
        ("GET http://127.0.0.1:1/health HTTP/1.1\r\nhost: evil.example\r\n", 200),
        ("GET /health HTTP/1.0\r\nhost: localhost\r\n", 200),
    ] {
        let answer = within(gateway.raw(format!("{head}{CLOSE}\r\n").as_bytes())).await;
        let status = answer.split(' ').nth(1).unwrap();
        assert_eq!(status, expected.to_string(), "{head}: {answer}");
    }
}

#[tokio::test]
async fn requests_in_one_piece_and_in_single_bytes_are_answered_in_their_order() {
    let gateway = Running::start().await;
    let call = |n: usize| {
        let body = format!(r#"{{"tool_id":"echo","params":{{"message":"{n}"}}}}"#);
        post(&format!("content-length: {}\r\n", body.len()), &body)
    };
    let last = format!("GET /health HTTP/1.1\r\n{HOST}{CLOSE}\r\n").into_bytes();
    let all: Vec<u8> = (0..50).flat_map(call).chain(last).collect();
    let answer = within(gateway.raw(&all)).await;
    let places: Vec<usize> =
        (0..50).map(|n| answer.find(&format!(r#""message":"{n}""#)).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(answer.matches("HTTP/1.1 200").count(), 51);

    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    for byte in call(7).into_iter().chain(call(8)) {
        stream.write_all(&[byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    let text = within(until(&mut stream, r#""message":"8""#)).await;
    assert!(text.find(r#""message":"7""#) < text.find(r#""message":"8""#), "{text}");
}

#[tokio::test]
async fn an_answer_does_not_wait_for_the_rest_of_the_next_request() {
    let gateway = Running::start().await;
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    let both = format!("GET /health HTTP/1.1\r\n{HOST}\r\nGET /hea");
    stream.write_all(both.as_bytes()).await.unwrap();
    within(until(&mut stream, r#""uptime_s""#)).await;
    let rest = format!("lth HTTP/1.1\r\n{HOST}\r\n");
    stream.write_all(rest.as_bytes()).await.unwrap();
    within(until(&mut stream, r#""uptime_s""#)).await;
    // What cannot be read comes behind what was answered.
    let both = format!("GET /health HTTP/1.1\r\n{HOST}\r\nnonsense\r\n\r\n");
    let answer = within(gateway.raw(both.as_bytes())).await;
    let second = answer.find("HTTP/1.1 400").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(read(&answer[second..]).0, 400);
}

#[tokio::test]
async fn a_body_that_is_announced_too_large_is_refused_before_it_comes() {
    let gateway = Running::start().await;
    let huge = 1_u64 << 30;
    // Nothing of it is sent: whoever asks first is not told to go on.
    let asking = format!("content-length: {huge}\r\nexpect: 100-continue\r\n");
    assert_eq!(refused(&gateway, &post(&asking, "")).await, (413, "too_large".to_owned()));
    // All of it is sent by a client that only then reads.
    for headers in
        [format!("content-length: {huge}\r\n"), "transfer-encoding: chunked\r\n".to_owned()]
    {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        stream.write_all(&post(&headers, "")).await.unwrap();
        let (mut reading, mut writing) = stream.into_split();
        let sending = tokio::spawn(async move {
            let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
            let mut left = huge >> 20;
            while left > 0 && writing.write_all(chunk.as_bytes()).await.is_ok() {
                left -= 1;
            }
        });
        let mut answer = [0; 12];
        within(reading.read_exact(&mut answer)).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 413");
        drop(reading);
        sending.abort();
    }
    is_well(&gateway).await;
}

#[tokio::test]
async fn hundreds_who_send_slowly_are_told_so_and_others_are_served_meanwhile() {
    let config =
        GatewayConfig { read_timeout: Duration::from_millis(700), ..GatewayConfig::default() };
    let gateway = Running::with(Vec::new(), config).await;
    let mut slow = Vec::new();
    for number in 0..500 {
        let mut stream = TcpStream::connect(gateway.address).await.unwrap();
        let begun = match number % 3 {
            0 => b"GET /health HTTP/1.1\r\nhost: loc".to_vec(),
            1 => post("content-length: 50\r\n", "{"),
            _ => post("transfer-encoding: chunked\r\n", "5\r\n{"),
        };
        stream.write_all(&begun).await.unwrap();
        slow.push(tokio::spawn(drip(stream)));
    }
    is_well(&gateway).await;
    for (number, one) in slow.into_iter().enumerate() {
        let answer = within(one).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 408"), "{number}: {answer}");
        assert!(answer.contains(r#"{"error":{"#), "{number}: {answer}");
    }
    is_well(&gateway).await;
    // Who sends nothing asks for nothing.
    assert_eq!(within(gateway.raw(b"")).await, "");
}

/// Sends a byte now and then until the other end has had enough.
async fn drip(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let reading = tokio::time::timeout(Duration::from_millis(200), stream.read(&mut buffer));
        match reading.await {
            Ok(Ok(count)) if count > 0 => answer.extend_from_slice(&buffer[..count]),
            Ok(_) => return String::from_utf8(answer).unwrap(),
            Err(_) => {
                stream.write_all(b" ").await.ok();
            }
        }
    }
}

/// Reads until something is there.
async fn until(stream: &mut TcpStream, mark: &str) -> String {
    let (mut text, mut buffer) = (String::new(), [0; 4_096]);
    while !text.contains(mark) {
        let count = stream.read(&mut buffer).await.unwrap();
        assert_ne!(count, 0, "{text}");
        text.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    text
}
