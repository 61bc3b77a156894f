//! Calls that nobody waits for, batches, and cancelling by id.

use std::time::Duration;

use hyper::Method;
use toolsmith_core::{Parameter, Role, Tool, ToolSpec, Value, json};

use crate::support::{Keys, Running, happens, within};

const SLEEP: &str = r#"{"tool_id": "sleep", "params": {"duration": 60}}"#;

fn counting() -> Tool {
    let count = std::sync::atomic::AtomicU64::new(0);
    let spec = ToolSpec::new("count").unwrap().with_parameters(&[Parameter::integer("n")]);
    Tool::function(spec, move |_, _| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async move { Ok(json!(number)) }
    })
}

/// Asks how a call is until it has ended.
async fn finished(gateway: &Running, key: &str, id: &str) -> Value {
    let polling = async {
        loop {
            let (_, call) = gateway.get_as(key, &format!("/calls/{id}")).await;
            if call["state"] == "finished" {
                break call;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    within(polling).await
}

async fn begin(gateway: &Running, key: &str, call: &'static str) -> String {
    let (status, begun) = gateway.post_as(key, "/run_tool?async=true", call).await;
    assert_eq!(status.as_u16(), 202, "{begun}");
    begun["call_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_polled_by_its_id() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let [a, b] = [keys.make("a", |_| {}).await, keys.make("b", |_| {}).await];
    let id = begin(&gateway, &a, r#"{"tool_id": "echo", "params": {"message": "hi"}}"#).await;
    let call = finished(&gateway, &a, &id).await;
    assert_eq!(call["outcome"]["output"], json!({"message": "hi"}));
    assert_eq!(call["outcome"]["call_id"], json!(id));
    assert_eq!(gateway.get_as(&b, &format!("/calls/{id}")).await.0.as_u16(), 404);
    // A refused call is one too.
    let id = begin(&gateway, &a, r#"{"tool_id": "nothing"}"#).await;
    let call = finished(&gateway, &a, &id).await;
    assert_eq!(call["outcome"]["error"]["type"], "tool_not_found");
    let (_, records) = gateway.get_as(&a, "/calls").await;
    assert_eq!(records["calls"].as_array().unwrap().len(), 2);
    let wrong = gateway.post_as(&a, "/run_tool?async=maybe", SLEEP).await;
    assert_eq!(wrong.0.as_u16(), 400);
}

#[tokio::test]
async fn a_call_under_way_is_cancelled_by_its_caller_or_an_administrator() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let [a, b] = [keys.make("a", |_| {}).await, keys.make("b", |_| {}).await];
    let boss = keys.make("boss", |new| new.role = Role::Admin).await;
    for canceller in [&a, &boss] {
        let id = begin(&gateway, &a, SLEEP).await;
        let address = format!("/calls/{id}");
        assert_eq!(gateway.get_as(&a, &address).await.1["state"], "running");
        let stranger = gateway.send_as(Method::DELETE, &b, &address).await;
        assert_eq!(stranger.0.as_u16(), 404);
        let (status, told) = gateway.send_as(Method::DELETE, canceller, &address).await;
        assert_eq!((status.as_u16(), &told["state"]), (202, &json!("cancelling")));
        let call = finished(&gateway, &a, &id).await;
        assert_eq!(call["outcome"]["error"]["type"], "cancelled");
        // Once more changes nothing.
        let (status, told) = gateway.send_as(Method::DELETE, canceller, &address).await;
        assert_eq!((status.as_u16(), &told["state"]), (200, &json!("finished")));
    }
}

#[tokio::test]
async fn a_call_that_somebody_waits_for_is_cancelled_by_its_id_too() {
    let gateway = Running::start().await;
    let mut events = gateway.engine.subscribe();
    let cancelling = async {
        let mut event = happens(&mut events).await;
        while event["type"] != "execution_started" {
            event = happens(&mut events).await;
        }
        let address = format!("/calls/{}", event["call_id"].as_str().unwrap());
        gateway.send_as(Method::DELETE, "", &address).await
    };
    let both = async { tokio::join!(gateway.post("/run_tool", SLEEP), cancelling) };
    let ((status, outcome), cancelled) = within(both).await;
    assert_eq!((status.as_u16(), &outcome["error"]["type"]), (499, &json!("cancelled")));
    assert_eq!(cancelled.0.as_u16(), 202);
}

#[tokio::test]
async fn a_batch_is_answered_in_order_and_one_failure_stops_nothing() {
    let gateway = Running::start().await;
    let calls = json!({"calls": [
        {"tool_id": "echo", "params": {"message": "a"}},
        {"tool_id": "nothing"},
        {"tool_id": "echo", "params": {"message": "b"}},
    ]});
    let (status, answer) = gateway.post("/run_tools", calls.to_string()).await;
    assert_eq!(status.as_u16(), 200);
    let outcomes = answer["outcomes"].as_array().unwrap();
    assert_eq!(outcomes[0]["output"], json!({"message": "a"}));
    assert_eq!(outcomes[1]["error"]["type"], "tool_not_found");
    assert_eq!(outcomes[2]["output"], json!({"message": "b"}));
    let many = vec![json!({"tool_id": "echo"}); 1_001];
    for wrong in [json!({ "calls": many }), json!({"calls": [{}]}), json!({})] {
        assert_eq!(gateway.post("/run_tools", wrong.to_string()).await.0.as_u16(), 400);
    }
}

#[tokio::test]
async fn the_same_key_and_input_run_once() {
    let gateway =
        Running::with(vec![counting()], toolsmith_gateway::GatewayConfig::default()).await;
    let call = |n: u32| {
        json!({"tool_id": "count", "params": {"n": n}, "context": {"idempotency_key": "k"}})
            .to_string()
    };
    for _ in 0..2 {
        assert_eq!(gateway.post("/run_tool", call(1)).await.1["output"], json!(0));
    }
    let (status, outcome) = gateway.post("/run_tool", call(2)).await;
    assert_eq!((status.as_u16(), &outcome["error"]["type"]), (422, &json!("validation_error")));
}

#[tokio::test]
async fn the_end_lets_accepted_calls_finish_and_loses_no_record() {
    let keys = Keys::new().await;
    let gateway = Running::recording(&keys, Vec::new()).await;
    let key = keys.make("a", |_| {}).await;
    let call = r#"{"tool_id": "sleep", "params": {"duration": 0.2}}"#;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(begin(&gateway, &key, call).await);
    }
    gateway.stop.cancel();
    let ended = within(gateway.serving).await.unwrap();
    assert_eq!(ended.unfinished_calls, 0);
    for id in ids {
        let record = keys.store.record(id.parse().unwrap()).await.unwrap().unwrap();
        assert!(record.is_success, "{:?}", record.error);
    }
}

#[tokio::test]
async fn calls_that_outlast_the_end_are_recorded_as_cancelled() {
    let keys = Keys::new().await;
    let config = toolsmith_gateway::GatewayConfig {
        shutdown_timeout: Duration::from_millis(50),
        ..toolsmith_gateway::GatewayConfig::default()
    };
    let gateway = Running::recording_with(&keys, Vec::new(), config).await;
    let key = keys.make("a", |_| {}).await;
    let mut events = gateway.engine.subscribe();
    let id = begin(&gateway, &key, SLEEP).await;
    while happens(&mut events).await["type"] != "execution_started" {}
    gateway.stop.cancel();
    assert_eq!(within(gateway.serving).await.unwrap().unfinished_calls, 1);
    let record = keys.store.record(id.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(record.error_type.unwrap().as_str(), "cancelled");
}
