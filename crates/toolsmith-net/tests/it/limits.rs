//! Answers that are too large, too slow, or no answers.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolsmith_core::ErrorKind;
use toolsmith_net::{Allow, Client, NetError, Overflow, Request, Settings};

use crate::{
    client,
    server::{Reply, Server},
};

/// Ten megabytes of zeros in about ten thousand bytes: deflate blocks of one repeated byte.
fn bomb() -> Vec<u8> {
    include_bytes!("zeros.gz").to_vec()
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_an_error_or_is_cut() {
    let server = Server::start(|_| Reply::new(200, "text/plain", vec![b'x'; 100_000])).await;
    let client = client(&[&server]);
    let ask = |max, overflow| {
        let mut request = Request::get(server.url("/"));
        (request.max_bytes, request.overflow) = (Some(max), overflow);
        client.send(request)
    };
    assert_eq!(ask(100_000, Overflow::Refuse).await.unwrap().body.len(), 100_000);
    let error = ask(99_999, Overflow::Refuse).await.unwrap_err();
    assert!(matches!(error, NetError::TooLarge { limit: 99_999 }), "{error:?}");
    let cut = ask(10, Overflow::Cut).await.unwrap();
    assert_eq!((cut.body.len(), cut.is_cut), (10, true));
    assert!(!ask(100_000, Overflow::Cut).await.unwrap().is_cut);
}

#[tokio::test]
async fn a_packed_answer_is_counted_unpacked() {
    let server =
        Server::start(|_| Reply::new(200, "text/plain", bomb()).with("content-encoding", "gzip"));
    let server = server.await;
    let client = client(&[&server]);
    let mut request = Request::get(server.url("/"));
    request.max_bytes = Some(1_000_000);
    let error = client.send(request.clone()).await.unwrap_err();
    assert!(matches!(error, NetError::TooLarge { .. }), "{error:?}");
    request.max_bytes = Some(20_000_000);
    let whole = client.send(request).await.unwrap();
    assert_eq!(whole.body.len(), 10_000_000);
    assert!(whole.body.iter().all(|byte| *byte == 0));
}

#[tokio::test]
async fn headers_are_limited_too() {
    let server = Server::start(|_| {
        let reply = Reply::new(200, "text/plain", "x");
        (0..40).fold(reply, |reply, n| reply.with(&format!("x-{n}"), "v".repeat(2_000)))
    });
    let server = server.await;
    let error = client(&[&server]).send(Request::get(server.url("/"))).await.unwrap_err();
    assert!(matches!(error, NetError::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_server_that_speaks_something_else_is_a_failure_of_the_other_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let task = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"220 mail.example ESMTP ready\r\n").await.ok();
        }
    });
    let allow = Allow::parse([&address]).unwrap();
    let client = Client::new(Settings { allow, ..Settings::default() }).unwrap();
    for scheme in ["http", "https"] {
        let error = client.send(Request::get(format!("{scheme}://{address}/"))).await.unwrap_err();
        assert_eq!(error.into_tool_error().kind(), ErrorKind::UpstreamError);
    }
    task.abort();
}

#[tokio::test]
async fn a_dropped_request_closes_its_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let allow = Allow::parse([&address]).unwrap();
    let client = Client::new(Settings { allow, ..Settings::default() }).unwrap();
    let request = Request::get(format!("http://{address}/"));
    let request = tokio::spawn(async move { client.send(request).await.map(drop) });
    let (mut stream, _) = listener.accept().await.unwrap();
    request.abort();
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut rest));
    closed.await.expect("closed within 5 s").ok();
}

#[tokio::test]
async fn a_refused_connection_says_who_was_not_reached() {
    let server = Server::canary().await;
    let (address, client) = (server.address, client(&[&server]));
    drop(server);
    // The listener goes with its task, a moment after the value.
    let error = tokio::time::timeout(Duration::from_secs(5), async {
        loop {
            match client.send(Request::get(format!("http://{address}/"))).await {
                Err(error @ NetError::Connect { .. }) => break error.into_tool_error(),
                _ => tokio::task::yield_now().await,
            }
        }
    });
    let error = error.await.unwrap();
    assert_eq!(error.kind(), ErrorKind::UpstreamError);
    assert_eq!(
        error.message(),
        "`127.0.0.1` could not be reached. Check the address, or try again later."
    );
}

#[tokio::test]
async fn a_busy_server_says_when_to_come_back() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/busy" => Reply::new(429, "text/plain", "slow down").with("retry-after", "7"),
        "/down" => Reply::new(503, "text/plain", "").with("retry-after", "30"),
        _ => Reply::new(404, "application/json", r#"{"error":"no such thing"}"#),
    });
    let server = server.await;
    let client = client(&[&server]);
    let ask = async |path: &str| {
        let answer = client.send(Request::get(server.url(path))).await.unwrap();
        answer.into_success(&toolsmith_core::Redactor::default()).unwrap_err().into_tool_error()
    };
    let (busy, down, gone) = (ask("/busy").await, ask("/down").await, ask("/gone").await);
    assert_eq!((busy.kind(), busy.is_retryable()), (ErrorKind::UpstreamError, true));
    assert_eq!(busy.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(down.retry_after(), Some(Duration::from_secs(30)));
    assert_eq!(gone.kind(), ErrorKind::ExecutionError);
    assert_eq!(gone.details()["status"], 404);
    assert!(gone.message().contains("no such thing"), "{gone}");
}
