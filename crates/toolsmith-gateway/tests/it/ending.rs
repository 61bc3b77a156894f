//! The end: calls under way are answered, new ones are not taken.

use std::{sync::Arc, time::Duration};

use hyper::Method;
use tokio::io::{AsyncWriteExt as _, duplex, split};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Value, json};
use toolsmith_engine::Engine;
use toolsmith_gateway::{Doorkeeper, Gateway, GatewayConfig};

use crate::{
    mcp,
    support::{Plain, Running, happens, within},
};

#[tokio::test]
async fn a_call_under_way_is_answered_before_the_end() {
    let gateway = Running::start().await;
    let mut events = gateway.engine.subscribe();
    let stop = gateway.stop.clone();
    let ending = tokio::spawn(async move {
        while happens(&mut events).await["type"] != "execution_started" {}
        stop.cancel();
    });
    let call = r#"{"tool_id": "sleep", "params": {"duration": 0.2}}"#;
    let (status, outcome) = gateway.post("/run_tool", call).await;
    assert_eq!((status.as_u16(), &outcome["success"]), (200, &json!(true)));
    let ended = tokio::time::timeout(Duration::from_secs(20), gateway.serving).await;
    assert_eq!(ended.unwrap().unwrap().unfinished_calls, 0);
    ending.await.unwrap();
}

#[tokio::test]
async fn whatever_its_door_a_call_that_is_cut_off_says_so() {
    let config =
        GatewayConfig { shutdown_timeout: Duration::from_mins(10), ..GatewayConfig::default() };
    let hurry = config.hurry.clone();
    let gateway = Running::with(Vec::new(), config).await;
    let mut events = gateway.engine.subscribe();
    let stop = gateway.stop.clone();
    let ending = tokio::spawn(async move {
        let mut begun = 0;
        loop {
            let event = happens(&mut events).await;
            if event["type"] == "execution_started" {
                begun += 1;
            }
            if begun == 2 {
                stop.cancel();
                hurry.cancel();
                return events;
            }
        }
    });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "sleep", "arguments": {"duration": 50}, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "sleep"),
    ];
    let message = message.to_string();
    let by_mcp = mcp::send(&gateway, Method::POST, &headers, &message);
    let by_http = gateway.post("/run_tool", r#"{"tool_id": "sleep", "params": {"duration": 50}}"#);
    let (by_mcp, (status, by_http)) = within(async { tokio::join!(by_mcp, by_http) }).await;
    let said = "The server ended while the call was under way";
    assert_eq!(status.as_u16(), 499);
    assert!(by_http["error"]["message"].as_str().unwrap().starts_with(said), "{by_http}");
    assert!(by_mcp.messages[0].to_string().contains(said), "{:?}", by_mcp.messages);
    drop(ending.await.unwrap());
    assert_eq!(within(gateway.serving).await.unwrap().unfinished_calls, 2);
}

#[tokio::test]
async fn a_call_on_standard_streams_is_cut_off_by_who_is_in_a_hurry() {
    let tools = toolsmith_builtins::all_with(&toolsmith_builtins::Settings::new("/nowhere"));
    let engine = Engine::builder().tools(tools.unwrap()).build().unwrap();
    let mut events = engine.subscribe();
    let config = GatewayConfig::default();
    let (stop, hurry) = (CancellationToken::new(), config.hurry.clone());
    let gateway = Gateway::new(engine, Arc::new(Plain::default()), Doorkeeper::local(), config);
    let (ours, theirs) = duplex(65_536);
    let speaking =
        tokio::spawn(toolsmith_gateway::speak(gateway, None, split(theirs), stop.clone()));
    let (reader, mut writer) = split(ours);
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "sleep", "arguments": { "duration": 50 } },
    });
    let said = format!("{}\n{call}\n", mcp::hello(&json!({})));
    writer.write_all(said.as_bytes()).await.unwrap();
    while within(happens(&mut events)).await["type"] != "execution_started" {}
    stop.cancel();
    hurry.cancel();
    within(speaking).await.unwrap().unwrap();
    let failed = async {
        loop {
            let event = happens(&mut events).await;
            if event["type"] == "execution_failed" {
                return event;
            }
        }
    };
    let event: Value = within(failed).await;
    let message = event["data"]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("The server ended while the call was under way"), "{message}");
    drop(reader.unsplit(writer));
}
