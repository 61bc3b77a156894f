//! Deadlines and cancellation, waiting or running.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolsmith_core::{Context, Tool, json};

use crate::fakes::{call, engine, engine_with, hang, slots, spec, verdict};

fn quickly(seconds: u64) -> Context {
    Context::default().with_timeout(Duration::from_secs(seconds))
}

#[tokio::test(start_paused = true)]
async fn the_call_then_the_tool_then_the_kind_of_tool_sets_the_deadline() {
    let waiting = |name: &str, category: &str, timeout: Option<u64>| {
        let spec = spec(name).with_category(category).with(|spec| {
            spec.timeout = timeout.map(Duration::from_secs);
        });
        Tool::function(spec, |_cx, _input| std::future::pending())
    };
    let (engine, _) = engine([
        waiting("plain", "custom", None),
        waiting("network", "http", None),
        waiting("own", "custom", Some(5)),
    ]);
    for (tool, asked, expected) in [
        ("plain", None, 30),
        ("network", None, 60),
        ("own", None, 5),
        ("own", Some(7), 7),
        ("plain", Some(999_999_999), 3_600),
    ] {
        let context = asked.map(quickly).unwrap_or_default();
        let outcome = engine.call(call(tool).with_context(context)).await;
        assert_eq!(verdict(&outcome), "timeout");
        assert_eq!(outcome.duration.as_secs(), expected, "{tool} {asked:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_slot_counts_against_the_deadline() {
    let (engine, sink) = engine_with(slots(1, 10), [hang()]);
    let first = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(call("hang").with_context(quickly(20))).await }
    });
    tokio::task::yield_now().await;
    let second = engine.call(call("hang").with_context(quickly(5))).await;
    assert_eq!(verdict(&second), "timeout");
    assert!(second.error().unwrap().message().contains("waiting for a slot"), "{second:?}");
    assert_eq!(second.duration.as_secs(), 5);
    assert_eq!(verdict(&first.await.unwrap()), "timeout");
    assert_eq!(sink.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_token_cancels_a_running_call_and_a_waiting_one() {
    let (engine, sink) = engine_with(slots(1, 10), [hang()]);
    let tokens = [CancellationToken::new(), CancellationToken::new()];
    let calls: Vec<_> = tokens
        .iter()
        .map(|token| {
            let (engine, call) = (engine.clone(), call("hang").with_cancel(token.clone()));
            tokio::spawn(async move { engine.call(call).await })
        })
        .collect();
    tokio::task::yield_now().await;
    assert_eq!(engine.metrics().limits.queue_length, 1);
    for token in tokens.iter().rev() {
        token.cancel();
    }
    for call in calls {
        assert_eq!(verdict(&call.await.unwrap()), "cancelled");
    }
    assert_eq!(sink.count(), 2);
    let limits = engine.metrics().limits;
    assert_eq!((limits.current_concurrent, limits.queue_length), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_inner_call_has_no_more_time_than_the_outer_one() {
    let outer = Tool::function(spec("outer"), |cx, _input| async move {
        let inner = cx.call("hang", json!({})).await;
        Ok(json!(inner.duration.as_secs()))
    });
    let (engine, sink) = engine([outer, hang()]);
    let outcome = engine.call(call("outer").with_context(quickly(3))).await;
    assert_eq!(outcome.duration.as_secs(), 3);
    assert!(sink.records().iter().all(|record| record.execution_time.as_secs() <= 3));
}

#[tokio::test(start_paused = true)]
async fn shutting_down_refuses_new_calls_and_waits_for_those_under_way() {
    let slow = Tool::function(spec("slow"), |_cx, _input| async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        Ok(json!("done"))
    });
    let (engine, _) = engine([slow, hang()]);
    let under_way = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(call("slow")).await }
    });
    tokio::task::yield_now().await;
    let left = engine.shutdown(Duration::from_secs(10)).await;
    assert_eq!(left, 0);
    assert_eq!(verdict(&under_way.await.unwrap()), "ok");
    assert_eq!(verdict(&engine.call(call("slow")).await), "rejected");
}

#[tokio::test(start_paused = true)]
async fn a_call_without_any_time_is_not_run() {
    let (tool, runs) = crate::fakes::counting(spec("quick"), Duration::ZERO);
    let (engine, _) = engine([tool]);
    let outcome = engine.call(call("quick").with_context(quickly(0))).await;
    assert_eq!(verdict(&outcome), "timeout");
    assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn an_inner_tool_keeps_its_own_limit() {
    let brief = spec("brief").with(|spec| spec.timeout = Some(Duration::from_secs(1)));
    let brief = Tool::function(brief, |_cx, _input| std::future::pending());
    let outer = Tool::function(spec("outer"), |cx, _input| async move {
        Ok(json!(cx.call("brief", json!({})).await.duration.as_secs()))
    });
    let (engine, _) = engine([brief, outer]);
    assert_eq!(engine.call(call("outer")).await.output(), &json!(1));
}

#[tokio::test(start_paused = true)]
async fn an_ending_engine_lets_calls_under_way_call_their_tools() {
    let outer = Tool::function(spec("outer"), |cx, _input| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cx.call("echo", json!({"text": "late"})).await.result
    });
    let (engine, sink) = engine([outer, crate::fakes::echo()]);
    let under_way = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(call("outer")).await }
    });
    tokio::task::yield_now().await;
    assert_eq!(engine.shutdown(Duration::from_secs(5)).await, 0);
    assert_eq!(sink.count(), 2, "both are recorded when the engine has ended");
    assert_eq!(verdict(&under_way.await.unwrap()), "ok");
}

#[tokio::test(start_paused = true)]
async fn an_ending_engine_waits_no_longer_than_it_was_told() {
    let (engine, sink) = engine([hang()]);
    let hanging = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(call("hang").with_context(quickly(3_000))).await }
    });
    tokio::task::yield_now().await;
    let before = tokio::time::Instant::now();
    assert_eq!(engine.shutdown(Duration::from_secs(1)).await, 1);
    assert!(before.elapsed() < Duration::from_secs(3));
    assert_eq!(sink.count(), 1, "what was cut off is recorded when the engine has ended");
    let outcome = hanging.await.unwrap();
    assert_eq!(verdict(&outcome), "cancelled");
    let message = outcome.error().unwrap().message();
    assert!(message.starts_with("The server ended while the call was under way"), "{message}");
}
