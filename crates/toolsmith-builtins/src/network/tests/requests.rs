//! `http_get`, `http_post` and `http_request`.

use toolsmith_core::{ErrorKind, json};

use super::{
    call, network,
    server::{Reply, Server},
};

#[tokio::test]
async fn a_get_returns_status_headers_and_body() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/json" => Reply::new(200, "application/json; charset=utf-8", r#"{"a":[1,2.5,null]}"#),
        "/text" => Reply::new(404, "text/plain", "nothing here"),
        "/bytes" => Reply::new(200, "image/png", [0x89, b'P', 0, 0xff]),
        _ => Reply::new(200, "application/json", "{broken").with("x-a", "1").with("x-a", "2"),
    });
    let server = server.await;
    let network = network(&[&server]);
    let get =
        async |path: &str| call(&network, "http_get", json!({ "url": server.url(path) })).await;
    let json_answer = get("/json").await.unwrap();
    assert_eq!(json_answer["body"], json!({ "a": [1, 2.5, null] }));
    assert_eq!(json_answer["headers"]["content-type"], "application/json; charset=utf-8");
    assert_eq!(json_answer.as_object().unwrap().len(), 3);
    let text = get("/text").await.unwrap();
    assert_eq!((&text["status"], &text["body"]), (&json!(404), &json!("nothing here")));
    assert_eq!(get("/bytes").await.unwrap()["body"], "data:image/png;base64,iVAA/w==");
    let broken = get("/broken").await.unwrap();
    assert_eq!((&broken["body"], &broken["headers"]["x-a"]), (&json!("{broken"), &json!("1, 2")));
}

#[tokio::test]
async fn a_request_is_sent_as_it_was_asked_for() {
    let server = Server::start(|_| Reply::new(201, "application/json", "{}")).await;
    let network = network(&[&server]);
    let input = json!({
        "url": server.url("/items?x=1"), "method": "PATCH", "query": { "q": "a/b", "tag": ["p", "q"] },
        "body": { "name": "lamp" }, "headers": { "X-Token": "t" }, "timeout": 5
    });
    assert_eq!(call(&network, "http_request", input).await.unwrap()["status"], 201);
    let posted = json!({ "url": server.url("/"), "body": "plain words" });
    call(&network, "http_post", posted).await.unwrap();
    let seen = server.seen();
    assert_eq!(
        (seen[0].method.as_str(), seen[0].target.as_str()),
        ("PATCH", "/items?x=1&q=a%2Fb&tag=p&tag=q")
    );
    assert_eq!(seen[0].header("content-type"), Some("application/json"));
    assert_eq!(
        (seen[0].header("x-token"), seen[0].text().as_str()),
        (Some("t"), r#"{"name":"lamp"}"#)
    );
    assert_eq!((seen[1].method.as_str(), seen[1].text().as_str()), ("POST", "plain words"));
}

#[tokio::test]
async fn closed_addresses_are_refused_by_every_tool() {
    let canary = Server::canary().await;
    let network = network(&[]);
    for name in ["http_get", "http_post", "http_request", "web_fetch"] {
        for url in [canary.url("/"), "http://169.254.169.254/".to_owned()] {
            let error = call(&network, name, json!({ "url": url })).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{name}");
            assert!(error.message().starts_with("Access denied"), "{name}: {error}");
        }
    }
    assert_eq!(canary.contacts(), 0);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_a_timeout() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut network = network(&[]);
    let allow = toolsmith_net::Allow::parse([address.to_string()]).unwrap();
    let settings = toolsmith_net::Settings { allow, ..Default::default() };
    network.client = toolsmith_net::Client::new(settings).unwrap();
    // Nobody accepts, so the connection stands in the queue and is never answered.
    let input = json!({ "url": format!("http://{address}/"), "timeout": 1 });
    let error = call(&network, "http_request", input).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.message().contains("within 1 seconds"), "{error}");
}

#[tokio::test]
async fn what_cannot_be_sent_says_why() {
    let network = network(&[]);
    for (input, part) in [
        (json!({ "url": "example.com" }), "relative URL without a base"),
        (json!({ "url": "ftp://example.com/" }), "only http and https"),
        (
            json!({ "url": "https://example.com/", "headers": { "a": "b\nc" } }),
            "control characters",
        ),
        (json!({ "url": "https://example.com/", "headers": { "Host": "x" } }), "`host` is set by"),
    ] {
        let error = call(&network, "http_get", input).await.unwrap_err();
        assert!(error.is_retryable() && error.message().contains(part), "{error}");
    }
}
