//! `/run_tool`, as a client uses it.

use std::time::Duration;

use hyper::StatusCode;
use tokio::{io::AsyncWriteExt, net::TcpStream};
use toolsmith_core::{Tool, ToolSpec, Value, json};
use toolsmith_gateway::GatewayConfig;

use crate::support::{Running, happens};

#[tokio::test]
async fn a_call_is_answered_with_its_outcome() {
    let gateway = Running::start().await;
    let call = r#"{"tool_id": "echo", "params": {"message": "hi"}}"#;
    let (status, outcome) = gateway.post("/run_tool", call).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(outcome["output"], json!({"message": "hi"}));
    assert_eq!(outcome["success"], true);
}

#[tokio::test]
async fn a_failed_call_has_the_status_of_its_error() {
    let gateway = Running::start().await;
    for (call, status, kind) in [
        (r#"{"tool_id": "ech"}"#, 404, "tool_not_found"),
        (r#"{"tool_id": "echo", "params": {}}"#, 422, "validation_error"),
        (
            r#"{"tool_id": "sleep", "params": {"duration": 60}, "context": {"timeout": 0.05}}"#,
            504,
            "timeout",
        ),
    ] {
        let (found, outcome) = gateway.post("/run_tool", call).await;
        assert_eq!((found.as_u16(), &outcome["error"]["type"]), (status, &json!(kind)), "{call}");
    }
}

#[tokio::test]
async fn a_client_says_something_about_its_call_but_not_who_it_is() {
    let spec = ToolSpec::new("who").unwrap();
    let who = Tool::function(spec, |cx, _| async move {
        let context = cx.context();
        Ok(json!([
            context.caller_type,
            context.caller_id,
            context.conversation_id,
            context.variables
        ]))
    });
    let gateway = Running::with(vec![who], GatewayConfig::default()).await;
    let call = r#"{"tool_id": "who", "context": {"conversation_id": "c", "variables": {"a": 1}}}"#;
    let (_, outcome) = gateway.post("/run_tool", call).await;
    assert_eq!(outcome["output"], json!(["http", "local", "c", {"a": 1}]));
    for claim in [r#""caller_type": "workflow_node""#, r#""caller_id": "x""#, r#""rights": {}"#] {
        let call = format!(r#"{{"tool_id": "who", "context": {{{claim}}}}}"#);
        let (status, answer) = gateway.post("/run_tool", call).await;
        assert_eq!(
            (status, &answer["error"]["type"]),
            (StatusCode::BAD_REQUEST, &json!("bad_request"))
        );
    }
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_call() {
    let gateway = Running::start().await;
    let mut events = gateway.engine.subscribe();
    let call = r#"{"tool_id": "sleep", "params": {"duration": 60}}"#;
    let head = format!(
        "POST /run_tool HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        call.len()
    );
    let mut stream = TcpStream::connect(gateway.address).await.unwrap();
    stream.write_all(format!("{head}{call}").as_bytes()).await.unwrap();
    let mut stream = Some(stream);
    let ended = async {
        loop {
            let event = happens(&mut events).await;
            match event["type"].as_str().unwrap() {
                "execution_started" => drop(stream.take()),
                "execution_failed" => break event["data"]["error"]["type"].clone(),
                _ => {}
            }
        }
    };
    let kind: Value = tokio::time::timeout(Duration::from_secs(20), ended).await.unwrap();
    assert_eq!(kind, "cancelled");
}
