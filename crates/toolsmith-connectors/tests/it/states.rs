//! How servers are, and who hears of it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::timeout;
use toolsmith_connectors::mcp::{Servers, State};
use toolsmith_core::{Call, Context, ErrorKind, EventKind, Value, json};
use toolsmith_engine::{Engine, Heard, Subscription};

use crate::bench::{Bench, scripted, surroundings};

/// Returns the next state that is told.
async fn next(events: &mut Subscription) -> Value {
    loop {
        let heard = timeout(Duration::from_secs(20), events.next()).await.unwrap();
        match heard {
            Some(Heard::Event(event)) if event.kind == EventKind::ToolStateChanged => {
                return event.data.clone();
            }
            Some(_) => {}
            None => panic!("no more events"),
        }
    }
}

async fn states(events: &mut Subscription, count: usize) -> Vec<String> {
    let mut states = Vec::new();
    for _ in 0..count {
        states.push(next(events).await["state"].as_str().unwrap().to_owned());
    }
    states
}

#[tokio::test]
async fn each_state_of_a_server_is_an_event() {
    let Some(settings) = scripted("srv", &["2025-11-25"]) else { return };
    let bench = Bench::new(vec![settings]);
    let mut events = bench.engine.subscribe();
    bench.servers.load().await;
    assert_eq!(next(&mut events).await["state"], json!("starting"));
    let running = next(&mut events).await;
    assert_eq!((&running["state"], &running["server"]), (&json!("running"), &json!("srv")));
    assert!(running["pid"].is_u64() && running["since"].is_string(), "{running}");
    assert_eq!(bench.servers.status_of("srv__echo").unwrap().state, State::Running);
    bench.servers.stop_for("srv__echo").await;
    assert_eq!(states(&mut events, 2).await, ["stopping", "stopped"]);
    bench.call("srv__die", json!({})).await;
    assert_eq!(states(&mut events, 2).await, ["starting", "running"]);
    let failed = next(&mut events).await;
    assert_eq!(failed["state"], json!("failed"));
    assert!(failed["why"].as_str().unwrap().contains("exit code 3"), "{failed}");
}

#[tokio::test]
async fn a_server_in_doubt_is_unhealthy_until_it_answers() {
    let Some(settings) = scripted("srv", &["2025-11-25"]) else { return };
    let bench = Bench::started(vec![settings]).await;
    let mut events = bench.engine.subscribe();
    let context = Context { timeout: Some(Duration::from_millis(100)), ..Context::default() };
    let call = Call::new("srv__wait", json!({})).with_context(context);
    assert_eq!(bench.engine.call(call).await.error().unwrap().kind(), ErrorKind::Timeout);
    assert_eq!(states(&mut events, 1).await, ["unhealthy"]);
    assert!(bench.call("srv__echo", json!({ "text": "x" })).await.is_success());
    assert_eq!(states(&mut events, 1).await, ["running"]);
}

#[tokio::test]
async fn a_tool_is_switched_off_and_on_while_its_server_runs() {
    let Some(settings) = scripted("srv", &["2025-11-25"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::new(surroundings(folder.path()), vec![settings]);
    let engine = Engine::builder().build().unwrap();
    let is_off = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_off);
    let rule = move |name: &toolsmith_core::ToolName| {
        name.as_str() == "srv__echo" && asked.load(Ordering::Relaxed)
    };
    servers.attach(&engine, Arc::new(rule));
    assert!(servers.load().await.is_empty());
    for (off, expected) in [(true, false), (false, true)] {
        is_off.store(off, Ordering::Relaxed);
        servers.switch();
        let outcome = engine.call(Call::new("srv__echo", json!({ "text": "x" }))).await;
        assert_eq!(outcome.is_success(), expected, "{outcome:?}");
        let other = engine.call(Call::new("srv__structured", json!({}))).await;
        assert!(other.is_success());
    }
}
