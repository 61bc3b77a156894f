//! The end: calls under way are answered, new ones are not taken.

use std::time::Duration;

use toolsmith_core::json;

use crate::support::{Running, happens};

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
