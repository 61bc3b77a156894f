//! Answers that are no success, and inputs that try to break out.

use std::time::Duration;

use toolsmith_core::{Advice, ErrorKind, json};

use super::{
    make,
    server::{Reply, Server},
};

#[tokio::test]
async fn a_status_says_whose_fault_it_is() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/429" => Reply::new(429, "text/plain", "slow").with("retry-after", "3"),
        "/503" => Reply::new(503, "text/plain", "").with("retry-after", "60"),
        "/500" => Reply::new(500, "text/html", "<h1>oops</h1>"),
        "/401" => Reply::new(401, "application/json", "{}"),
        "/304" => Reply::new(304, "text/plain", ""),
        _ => Reply::new(422, "application/json", r#"{"detail":"name is too long"}"#),
    });
    let server = server.await;
    let tool = make(&json!({ "url": server.url("/{code}") }), &["code"]).unwrap();
    let error = async |code: u32| tool.call(json!({ "code": code })).await.unwrap_err();
    let busy = error(429).await;
    assert_eq!((busy.kind(), busy.advice()), (ErrorKind::UpstreamError, Advice::Later));
    assert_eq!(busy.retry_after(), Some(Duration::from_secs(3)));
    assert_eq!(error(503).await.retry_after(), Some(Duration::from_mins(1)));
    let down = error(500).await;
    assert_eq!((down.kind(), down.advice()), (ErrorKind::UpstreamError, Advice::Later));
    let wrong = error(422).await;
    assert_eq!((wrong.kind(), wrong.advice()), (ErrorKind::ExecutionError, Advice::Differently));
    assert!(wrong.message().contains("name is too long"), "{wrong}");
    assert_eq!(wrong.details()["status"], 422);
    assert_eq!(error(401).await.advice(), Advice::Final);
    assert_eq!(error(304).await.kind(), ErrorKind::ExecutionError);
}

#[tokio::test]
async fn no_input_breaks_out_of_its_place() {
    let server = Server::start(|_| Reply::new(200, "application/json", "{}")).await;
    let entry = json!({
        "base_url": server.url("/api"), "path": "/users/{id}/get", "headers": { "X-A": "{a}" },
        "query": { "q": "{q}" }
    });
    let tool = make(&entry, &["id", "a", "q"]).unwrap();
    for id in [
        "..",
        ".",
        "",
        "..\\..",
        "../../admin",
        "x?y=1",
        "x#y",
        "//evil.example/",
        "%2e%2e",
        "\r\nX: y",
    ] {
        let answer = tool.call(json!({ "id": id, "q": "1&admin=1#x" })).await;
        assert_eq!(answer.is_err(), matches!(id, ".." | "." | ""), "{id}");
    }
    for seen in server.seen() {
        let (path, query) = seen.target.split_once('?').unwrap();
        assert_eq!(path.split('/').count(), 5, "{path}");
        assert!(path.starts_with("/api/users/") && path.ends_with("/get"), "{path}");
        assert_eq!(query, "q=1%26admin%3D1%23x");
        assert_eq!(seen.header("x"), None);
    }
    let error = tool.call(json!({ "id": 1, "a": "v\r\nX-Evil: 1" })).await.unwrap_err();
    assert!(error.message().contains("control characters"), "{error}");
}

#[tokio::test]
async fn a_trusted_server_cannot_lead_to_its_neighbours() {
    let canary = Server::canary().await;
    let to = canary.url("/");
    let server = Server::start(move |_| Reply::redirect(307, &to)).await;
    let entry =
        json!({ "url": server.url("/"), "auth": { "type": "bearer", "token": "${TOKEN}" } });
    let error = make(&entry, &[]).unwrap().call(json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!((server.contacts(), canary.contacts()), (1, 0));
}

#[tokio::test]
async fn a_host_made_of_the_input_is_under_the_rules_for_inputs() {
    let canary = Server::canary().await;
    let base = format!("http://{{host}}:{}", canary.port());
    let tool = make(&json!({ "base_url": base }), &["host"]).unwrap();
    let error = tool.call(json!({ "host": "localhost" })).await.unwrap_err();
    assert!(error.message().starts_with("Access denied"), "{error}");
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn a_server_that_is_gone_is_a_failure_of_the_other_end() {
    let server = Server::canary().await;
    let entry = json!({ "url": server.url("/") });
    drop(server);
    let tool = make(&entry, &[]).unwrap();
    let error = tokio::time::timeout(Duration::from_secs(5), async {
        loop {
            // The listener goes a moment after the value.
            if let Err(error) = tool.call(json!({})).await {
                break error;
            }
        }
    });
    assert_eq!(error.await.unwrap().kind(), ErrorKind::UpstreamError);
}
