//! How requests show who sends them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use toolsmith_core::{Value, json};

use super::{
    make,
    server::{Reply, Seen, Server},
};

async fn sent(auth: Value) -> Seen {
    let server = Server::start(|_| Reply::new(200, "application/json", "{}")).await;
    let entry = json!({ "url": server.url("/x"), "query": { "a": "1" }, "auth": auth });
    make(&entry, &[]).unwrap().call(json!({})).await.unwrap();
    server.seen().remove(0)
}

#[tokio::test]
async fn keys_tokens_and_passwords_stand_where_they_belong() {
    let header =
        sent(json!({ "type": "api_key", "in": "header", "name": "X-Key", "value": "${TOKEN}" }))
            .await;
    assert_eq!(header.header("x-key"), Some("s3cret-token"));
    let query =
        sent(json!({ "type": "api_key", "in": "query", "name": "key", "value": "${TOKEN}" })).await;
    assert_eq!(query.target, "/x?a=1&key=s3cret-token");
    let bearer = sent(json!({ "type": "bearer", "token": "${TOKEN}" })).await;
    assert_eq!(bearer.header("authorization"), Some("Bearer s3cret-token"));
    let basic = sent(json!({ "type": "basic", "username": "me", "password": "${TOKEN}" })).await;
    assert_eq!(basic.header("authorization"), Some("Basic bWU6czNjcmV0LXRva2Vu"));
}

#[tokio::test]
async fn secrets_are_known_to_the_redactor_in_every_spelling() {
    let server = Server::start(|seen| {
        let told = seen.header("authorization").unwrap_or_default();
        Reply::new(400, "text/plain", format!("bad: {told}"))
    });
    let server = server.await;
    for auth in [
        json!({ "type": "bearer", "token": "${TOKEN}" }),
        json!({ "type": "bearer", "token": "written-down-plainly" }),
        json!({ "type": "basic", "username": "me", "password": "${TOKEN}" }),
    ] {
        let tool = make(&json!({ "url": server.url("/"), "auth": auth }), &[]).unwrap();
        let error = tool.redactor.error(tool.call(json!({})).await.unwrap_err());
        assert!(error.message().contains("bad: ") && error.message().contains("***"), "{error}");
    }
}

#[tokio::test]
async fn a_key_in_the_query_is_known_as_it_is_spelled_there() {
    let server = Server::start(|seen| Reply::new(400, "text/plain", seen.target.clone())).await;
    let auth = json!({ "type": "api_key", "in": "query", "value": "s3cret key/+é" });
    let tool = make(&json!({ "url": server.url("/x"), "auth": auth }), &[]).unwrap();
    let error = tool.redactor.error(tool.call(json!({})).await.unwrap_err());
    assert!(error.message().contains("api_key=***"), "{error}");
    assert_eq!(tool.redactor.text("s3cret%20key%2F%2B%C3%A9"), "***");
}

#[tokio::test]
async fn a_variable_that_is_not_set_is_an_error_of_the_call() {
    let entry = json!({ "url": "http://127.0.0.1:9/", "auth": { "type": "bearer", "token": "${NOT_SET}" } });
    let error = make(&entry, &[]).unwrap().call(json!({})).await.unwrap_err();
    assert!(error.message().contains("the variable `NOT_SET` is not set"), "{error}");
}

/// Gives out a token with a number, and takes the ones that are not older than `oldest`.
async fn token_server(lasts: Value, oldest: Arc<AtomicUsize>) -> Server {
    let given = AtomicUsize::new(0);
    Server::start(move |seen| {
        if seen.target == "/token" {
            let number = given.fetch_add(1, SeqCst) + 1;
            let token = json!({ "access_token": format!("token-{number:08}"), "expires_in": lasts, "token_type": "Bearer" });
            return Reply::new(200, "application/json", token.to_string());
        }
        let bearer = seen.header("authorization").and_then(|value| value.strip_prefix("Bearer token-"));
        match bearer.and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if number >= oldest.load(SeqCst) => Reply::new(200, "application/json", number.to_string()),
            _ => Reply::new(401, "text/plain", "expired"),
        }
    })
    .await
}

fn oauth(server: &Server) -> Value {
    json!({
        "url": server.url("/api"),
        "auth": {
            "type": "oauth2", "token_url": server.url("/token"), "client_id": "${ID}",
            "client_secret": "${SECRET}", "scope": "read write"
        }
    })
}

fn tokens(server: &Server) -> usize {
    server.seen().iter().filter(|seen| seen.target == "/token").count()
}

#[tokio::test]
async fn a_token_is_fetched_once_for_all_and_kept() {
    let server = token_server(json!(3600), Arc::default()).await;
    let tool = Arc::new(make(&oauth(&server), &[]).unwrap());
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let tool = Arc::clone(&tool);
        calls.spawn(async move { tool.call(json!({})).await.unwrap() });
    }
    while let Some(output) = calls.join_next().await {
        assert_eq!(output.unwrap(), json!(1));
    }
    assert_eq!(tokens(&server), 1);
    let asked = server.seen().into_iter().find(|seen| seen.target == "/token").unwrap();
    assert_eq!(asked.text(), "grant_type=client_credentials&scope=read+write");
    assert_eq!(asked.header("authorization"), Some("Basic Y2xpZW50LTE6Y2xpZW50LXMzY3JldA=="));
    assert_eq!(tool.redactor.text("x token-00000001 y"), "x *** y");
}

#[tokio::test]
async fn a_token_that_is_no_longer_taken_is_renewed_once() {
    let oldest = Arc::new(AtomicUsize::new(1));
    let server = token_server(json!(3600), Arc::clone(&oldest)).await;
    let tool = make(&oauth(&server), &[]).unwrap();
    assert_eq!(tool.call(json!({})).await.unwrap(), json!(1));
    oldest.store(2, SeqCst);
    assert_eq!(tool.call(json!({})).await.unwrap(), json!(2));
    oldest.store(usize::MAX, SeqCst);
    let error = tool.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("401"), "{error}");
    assert_eq!(tokens(&server), 3);
}

#[tokio::test]
async fn a_token_ends_with_its_time() {
    let server = token_server(json!("60"), Arc::default()).await;
    let tool = make(&oauth(&server), &[]).unwrap();
    tool.call(json!({})).await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(29)).await;
    tokio::time::resume();
    assert_eq!(tool.call(json!({})).await.unwrap(), json!(1));
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    assert_eq!(tool.call(json!({})).await.unwrap(), json!(2));
}

#[tokio::test]
async fn a_token_server_that_refuses_is_named_as_the_cause() {
    let server =
        Server::start(|_| Reply::new(400, "application/json", r#"{"error":"invalid_client"}"#));
    let server = server.await;
    let mut entry = oauth(&server);
    entry["auth"]["client_auth"] = "body".into();
    let error = make(&entry, &[]).unwrap().call(json!({})).await.unwrap_err();
    assert!(error.message().starts_with("No access token was given."), "{error}");
    assert!(error.message().contains("invalid_client"), "{error}");
    let seen = &server.seen()[0];
    assert!(seen.text().ends_with("&client_id=client-1&client_secret=client-s3cret"));
    assert_eq!((seen.header("authorization"), server.contacts()), (None, 1));
}
