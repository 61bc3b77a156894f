//! What is sent, and what is returned of the answer.

use toolsmith_core::{Value, json};

use super::{
    make, make_with,
    server::{Reply, Seen, Server},
};

async fn echo() -> Server {
    Server::start(|_| Reply::new(200, "application/json", r#"{"ok":true}"#)).await
}

/// Sends one call and returns what the server saw.
async fn sent(mut entry: Value, parameters: &[&str], input: Value) -> Seen {
    let server = echo().await;
    entry["base_url"] = server.url("").into();
    let output = make(&entry, parameters).unwrap().call(input).await.unwrap();
    assert_eq!(output, json!({ "ok": true }));
    server.seen().remove(0)
}

#[tokio::test]
async fn templates_are_filled_in_everywhere() {
    let entry = json!({
        "method": "post",
        "path": "/users/{user}/notes",
        "query": { "lang": "{lang}", "tag": "{tags}", "fixed": 1, "both": "{user}-{lang}", "no": "{no}" },
        "headers": { "X-Trace": "t-{trace}", "X-No": "{no}", "X-Key": "${TOKEN}" },
        "body": { "text": "{text}", "count": "{count}", "no": "{no}", "meta": { "by": "u/{user}" } }
    });
    let parameters = ["user", "lang", "tags", "trace", "text", "count", "no", "spare"];
    let input = json!({
        "user": "a/b", "lang": "zh", "tags": ["x", "y z"], "trace": 7, "text": "hi", "count": 3, "spare": true
    });
    let seen = sent(entry, &parameters, input).await;
    assert_eq!(seen.method, "POST");
    assert_eq!(
        seen.target,
        "/users/a%2Fb/notes?lang=zh&tag=x&tag=y+z&fixed=1&both=a%2Fb-zh&spare=true"
    );
    assert_eq!((seen.header("x-trace"), seen.header("x-no")), (Some("t-7"), None));
    assert_eq!(seen.header("x-key"), Some("s3cret-token"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.text(), r#"{"text":"hi","count":3,"meta":{"by":"u/a/b"}}"#);
}

#[tokio::test]
async fn what_no_template_uses_goes_to_the_query_or_the_body() {
    let input = json!({ "id": 7, "a": [1, 2], "b": { "c": null }, "d": null });
    let parameters = ["id", "a", "b", "d"];
    for method in ["GET", "DELETE", "HEAD"] {
        let server = echo().await;
        let entry = json!({ "method": method, "url": server.url("/x/{id}") });
        make(&entry, &parameters).unwrap().call(input.clone()).await.ok();
        let seen = &server.seen()[0];
        assert_eq!(seen.target, "/x/7?a=1&a=2&b=%7B%22c%22%3Anull%7D", "{method}");
        assert!(seen.body.is_empty() && seen.header("content-type").is_none());
    }
    for method in ["POST", "PUT", "PATCH"] {
        let seen =
            sent(json!({ "method": method, "path": "x/{id}" }), &parameters, input.clone()).await;
        assert_eq!(seen.target, "/x/7");
        assert_eq!(seen.text(), r#"{"a":[1,2],"b":{"c":null}}"#, "{method}");
    }
}

#[tokio::test]
async fn bodies_are_written_as_the_definition_says() {
    let input = json!({ "a": "x y", "n": [1, 2] });
    for (entry, media_type, body) in [
        (
            json!({ "body": { "a": "{a}", "n": "{n}" }, "body_type": "form" }),
            "application/x-www-form-urlencoded",
            "a=x+y&n=1&n=2",
        ),
        (json!({ "body": "a is {a}!" }), "text/plain; charset=utf-8", "a is x y!"),
        (json!({ "body": "{n}" }), "application/json", "[1,2]"),
        (
            json!({ "body": "<a>{a}</a>", "headers": { "Content-Type": "application/xml" } }),
            "application/xml",
            "<a>x y</a>",
        ),
        (
            json!({ "method": "POST", "body_type": "form" }),
            "application/x-www-form-urlencoded",
            "a=x+y&n=1&n=2",
        ),
    ] {
        let seen = sent(entry, &["a", "n"], input.clone()).await;
        assert_eq!((seen.method.as_str(), seen.text().as_str()), ("POST", body));
        assert_eq!(seen.header("content-type"), Some(media_type), "{body}");
    }
    assert!(sent(json!({}), &["a"], json!({})).await.body.is_empty());
}

#[tokio::test]
async fn the_output_is_the_answer_or_the_chosen_part() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/text" => Reply::new(200, "text/plain", "12"),
        "/none" => Reply::new(204, "text/plain", ""),
        "/null" => Reply::new(200, "application/json", r#"{"data":null}"#),
        "/bytes" => Reply::new(200, "image/gif", [0xff, 0x00]),
        _ => Reply::new(200, "application/json", r#"{"data":{"items":[{"id":1,"n":"a"}],"t":5}}"#)
            .with("x-total", "42"),
    });
    let server = server.await;
    let output = async |path: &str, response: Value| {
        let mut entry = json!({ "base_url": server.url(""), "path": path });
        if !response.is_null() {
            entry["response"] = response;
        }
        make(&entry, &[]).unwrap().call(json!({})).await.unwrap()
    };
    assert_eq!(output("/", json!(null)).await["data"]["t"], 5);
    assert_eq!(output("/text", json!(null)).await, "12");
    assert_eq!(output("/none", json!(null)).await, Value::Null);
    assert_eq!(output("/bytes", json!(null)).await, "data:image/gif;base64,/wA=");
    assert_eq!(output("/null", json!({ "path": "/data" })).await, Value::Null);
    assert_eq!(output("/", json!({ "path": "/data/items/0" })).await, json!({ "id": 1, "n": "a" }));
    assert_eq!(
        output(
            "/",
            json!({
                "path": "data",
                "fields": { "first": "items[0].n", "t": "/t", "gone": "x.y" },
                "headers": { "total": "X-Total" }
            })
        )
        .await,
        json!({ "first": "a", "t": 5, "gone": null, "total": "42" })
    );
}

#[tokio::test]
async fn without_an_address_the_input_says_everything() {
    let (server, canary) = (echo().await, Server::canary().await);
    let parameters = ["url", "method", "headers", "query", "body"];
    let tool = make_with(&json!({ "type": "http" }), &parameters, &[&server]).unwrap();
    let input = json!({
        "url": server.url("/x?a=1"), "method": "PUT", "headers": { "X-A": "b" },
        "query": { "q": "z", "l": [1, 2] }, "body": { "k": "v" }
    });
    let output = tool.call(input).await.unwrap();
    assert_eq!((&output["status"], &output["body"]), (&json!(200), &json!({ "ok": true })));
    assert_eq!(output["headers"]["content-type"], "application/json");
    let seen = &server.seen()[0];
    assert_eq!((seen.method.as_str(), seen.target.as_str()), ("PUT", "/x?a=1&q=z&l=1&l=2"));
    assert_eq!((seen.header("x-a"), seen.text().as_str()), (Some("b"), r#"{"k":"v"}"#));
    let error = tool.call(json!({ "url": canary.url("/"), "method": "GET" })).await.unwrap_err();
    assert!(error.message().starts_with("Access denied"), "{error}");
    assert_eq!(canary.contacts(), 0);
    assert_eq!(tool.executor.upstream(), None);
}

#[tokio::test]
async fn a_part_that_the_answer_does_not_have_is_an_error() {
    let server = Server::start(|seen| match seen.target.as_str() {
        "/none" => Reply::new(204, "text/plain", ""),
        _ => Reply::new(200, "application/json", r#"{"error":"no such user"}"#),
    });
    let server = server.await;
    for path in ["/", "/none"] {
        let entry = json!({ "url": server.url(path), "response": { "path": "data.items" } });
        let error = make(&entry, &[]).unwrap().call(json!({})).await.unwrap_err();
        assert!(error.message().contains("nothing at `data.items`"), "{error}");
    }
}

#[tokio::test]
async fn the_method_is_the_inputs_or_the_entrys_or_the_usual_one() {
    let server = echo().await;
    let parameters = ["url", "method", "body"];
    for (entry, method, body, expected) in [
        (json!({}), Value::Null, Value::Null, "GET"),
        (json!({}), Value::Null, json!("x"), "POST"),
        (json!({ "method": "PUT" }), Value::Null, json!("x"), "PUT"),
        (json!({ "method": "PUT" }), Value::Null, Value::Null, "PUT"),
        (json!({ "method": "PUT" }), json!("patch"), json!("x"), "PATCH"),
    ] {
        let tool = make_with(&entry, &parameters, &[&server]).unwrap();
        let input = json!({ "url": server.url("/"), "method": method, "body": body });
        tool.call(input).await.unwrap();
        assert_eq!(server.seen().last().unwrap().method, expected, "{entry}");
    }
    let contacts = server.contacts();
    let tool = make_with(&json!({}), &parameters, &[&server]).unwrap();
    for method in ["TRACE", "CONNECT", "PROPFIND", "GET /x", "", " GET"] {
        let input = json!({ "url": server.url("/"), "method": method });
        let error = tool.call(input).await.unwrap_err();
        assert!(error.message().contains("`GET`, `POST`"), "{method}: {error}");
    }
    let error = tool.call(json!({ "url": server.url("/"), "method": 5 })).await.unwrap_err();
    assert!(error.message().contains("`GET`, `POST`"), "{error}");
    assert_eq!(server.contacts(), contacts);
}
