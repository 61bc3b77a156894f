//! What subscribers hear.

use toolsmith_core::{Event, EventKind, json};
use toolsmith_engine::{Heard, Subscription};

use crate::fakes::{call, call_with, echo, engine, fail};

fn heard(subscription: &mut Subscription) -> Vec<Event> {
    std::iter::from_fn(|| subscription.try_next())
        .map(|heard| match heard {
            Heard::Event(event) => (*event).clone(),
            Heard::Missed(missed) => panic!("missed {missed}"),
        })
        .collect()
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

#[tokio::test]
async fn a_call_is_told_from_request_to_end() {
    let (engine, _) = engine([echo(), fail()]);
    let mut subscription = engine.subscribe();
    let outcome = engine.call(call_with("echo", json!({"text": "hi"}))).await;
    let events = heard(&mut subscription);
    assert_eq!(kinds(&events), ["call_requested", "execution_started", "execution_completed"]);
    assert!(events.iter().all(|event| event.call_id == Some(outcome.call_id)));
    assert!(events.iter().all(|event| event.tool_name.as_deref() == Some("echo")));
    assert_eq!(events[0].data, json!({"params": {"text": "hi"}}));
    assert_eq!(events[2].data["result"], json!({"text": "hi"}));
    assert!(events[2].data["duration_ms"].is_number());

    engine.call(call("fail")).await;
    let events = heard(&mut subscription);
    assert_eq!(kinds(&events), ["call_requested", "execution_started", "execution_failed"]);
    assert_eq!(events[2].data["error"]["type"], "execution_error");
}

#[tokio::test]
async fn refusals_end_with_execution_failed_too_and_ids_count_up() {
    let (engine, _) = engine([echo()]);
    let mut subscription = engine.subscribe();
    engine.call(call("nowhere")).await;
    engine.call(call_with("echo", json!({"text": 5}))).await;
    let events = heard(&mut subscription);
    assert_eq!(
        kinds(&events),
        [
            "call_requested",
            "execution_failed",
            "call_requested",
            "validation_error",
            "execution_failed"
        ]
    );
    assert_eq!(events.iter().map(|event| event.id).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(events[3].data["problems"][0]["kind"], "type_mismatch");
}

#[tokio::test]
async fn changes_of_the_registry_are_told() {
    let (engine, _) = engine([]);
    let mut subscription = engine.subscribe();
    engine.register(echo()).unwrap();
    engine.registry().reload([echo()], &[]).unwrap();
    assert!(engine.registry().unregister("echo"));
    assert_eq!(kinds(&heard(&mut subscription)), ["tool_added", "tool_updated", "tool_removed"]);
}

#[tokio::test]
async fn a_slow_subscriber_is_told_how_much_it_missed_and_slows_nobody() {
    let (engine, sink) = engine([echo()]);
    let mut slow = engine.subscribe();
    for _ in 0..3_000 {
        engine.call(call("echo")).await;
    }
    assert_eq!(sink.count(), 3_000);
    let Some(Heard::Missed(missed)) = slow.next().await else { panic!("it should have missed") };
    let mut rest = 0;
    while let Some(Heard::Event(event)) = slow.try_next() {
        assert!(!matches!(event.kind, EventKind::ToolAdded));
        rest += 1;
    }
    assert_eq!(missed + rest, 9_000);
}
