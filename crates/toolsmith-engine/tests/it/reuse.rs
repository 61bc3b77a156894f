//! Answers that are given again.

use std::{sync::atomic::Ordering::SeqCst, time::Duration};

use toolsmith_core::{CachePolicy, Call, Context, ToolSpec, json};

use crate::fakes::{
    call, call_with, counting, engine, engine_with, read_only, slots, spec, verdict,
};

fn cached(shared: bool) -> ToolSpec {
    let policy = CachePolicy { ttl: Duration::from_mins(1), max_entries: 2, shared };
    spec("cached").with_annotations(read_only()).with(|spec| spec.cache = Some(policy))
}

fn by(user: &str, input: &str) -> Call {
    let context = Context { user_id: Some(user.into()), ..Context::default() };
    call_with("cached", json!({ "text": input })).with_context(context)
}

fn keyed(key: &str, caller: &'static str, input: &str) -> Call {
    let context = Context { idempotency_key: Some(key.into()), ..Context::direct(caller) };
    call_with("pay", json!({ "text": input })).with_context(context)
}

#[tokio::test(start_paused = true)]
async fn an_equal_call_of_the_same_person_is_answered_from_the_cache_until_it_is_old() {
    let (tool, runs) = counting(cached(false), Duration::ZERO);
    let (engine, sink) = engine([tool]);
    let first = engine.call(by("ann", "x")).await;
    let second = engine.call(by("ann", "x")).await;
    assert_eq!(second.output(), first.output());
    assert_eq!(second.metadata["reused"]["from"], "cache");
    assert_eq!(second.metadata["reused"]["call_id"], json!(first.call_id));
    engine.call(by("bob", "x")).await;
    assert_eq!(runs.load(SeqCst), 2, "another person has answers of their own");
    engine.call(by("ann", "y")).await;
    assert_eq!(runs.load(SeqCst), 3);
    tokio::time::advance(Duration::from_mins(2)).await;
    engine.call(by("ann", "y")).await;
    assert_eq!(runs.load(SeqCst), 4);
    assert_eq!(sink.count(), 5, "answers from the cache are recorded too");
}

#[tokio::test]
async fn a_shared_cache_answers_everyone_and_holds_no_more_than_it_may() {
    let (tool, runs) = counting(cached(true), Duration::ZERO);
    let (engine, _) = engine([tool]);
    for user in ["ann", "bob"] {
        engine.call(by(user, "x")).await;
    }
    assert_eq!(runs.load(SeqCst), 1);
    for input in ["y", "z", "x"] {
        engine.call(by("ann", input)).await;
    }
    assert_eq!(runs.load(SeqCst), 4, "two entries: x had to go");
}

#[tokio::test(start_paused = true)]
async fn equal_calls_at_once_are_one_call_and_a_hit_takes_no_slot() {
    let (tool, runs) = counting(cached(true), Duration::from_secs(1));
    let (engine, _) = engine_with(slots(1, 0), [tool]);
    let calls: Vec<_> = (0..5)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.call(by("ann", "x")).await })
        })
        .collect();
    for call in calls {
        assert_eq!(verdict(&call.await.unwrap()), "ok");
    }
    assert_eq!(runs.load(SeqCst), 1);
    assert_eq!(engine.metrics().limits.total_acquired, 1);
}

#[tokio::test(start_paused = true)]
async fn when_the_running_call_is_dropped_another_takes_over() {
    let (tool, runs) = counting(cached(true), Duration::from_secs(1));
    let (engine, _) = engine([tool]);
    let leader = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(by("ann", "x")).await }
    });
    tokio::task::yield_now().await;
    let follower = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(by("ann", "x")).await }
    });
    tokio::task::yield_now().await;
    leader.abort();
    assert_eq!(verdict(&follower.await.unwrap()), "ok");
    assert_eq!(runs.load(SeqCst), 2);
}

#[tokio::test]
async fn a_tool_that_changes_things_is_never_answered_from_a_cache() {
    let spec = cached(true).with_annotations(toolsmith_core::Annotations::default());
    let (tool, runs) = counting(spec, Duration::ZERO);
    let (engine, _) = engine([tool]);
    for _ in 0..2 {
        engine.call(call("cached")).await;
    }
    assert_eq!(runs.load(SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn the_same_key_and_input_run_once_also_at_once() {
    let (tool, runs) = counting(spec("pay"), Duration::from_secs(1));
    let (engine, sink) = engine([tool]);
    let calls: Vec<_> = (0..3)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.call(keyed("k", "a", "10")).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().output(), &json!({"run": 1}));
    }
    let again = engine.call(keyed("k", "a", "10")).await;
    assert_eq!(again.metadata["reused"]["from"], "idempotency_key");
    assert_eq!(runs.load(SeqCst), 1);
    assert_eq!(sink.count(), 4);
}

#[tokio::test]
async fn a_key_belongs_to_its_caller_and_its_input() {
    let (tool, runs) = counting(spec("pay"), Duration::ZERO);
    let (engine, _) = engine([tool]);
    engine.call(keyed("k", "a", "10")).await;
    assert_eq!(verdict(&engine.call(keyed("k", "a", "11")).await), "validation_error");
    assert_eq!(verdict(&engine.call(keyed("k", "b", "11")).await), "ok");
    assert_eq!(runs.load(SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_call_was_dropped_while_running_does_not_run_again() {
    let (tool, runs) = counting(spec("pay"), Duration::from_secs(1));
    let (engine, _) = engine([tool]);
    let first = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(keyed("k", "a", "10")).await }
    });
    tokio::task::yield_now().await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    assert_eq!(verdict(&engine.call(keyed("k", "a", "10")).await), "cancelled");
    assert_eq!(runs.load(SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_made_by_a_tool_does_not_wait_for_an_equal_call_that_needs_its_slot() {
    let (inner, _) = counting(cached(true), Duration::from_millis(1));
    let outer = toolsmith_core::Tool::function(spec("outer"), |cx, _input| async move {
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(cx.call("cached", json!({"text": "x"})).await.output().clone())
    });
    let (engine, _) = engine_with(slots(1, 5), [inner, outer]);
    let waiting = {
        let engine = engine.clone();
        async move { engine.call(by("ann", "x")).await }
    };
    let outer = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(call("outer")).await }
    });
    tokio::task::yield_now().await;
    let before = tokio::time::Instant::now();
    assert_eq!(verdict(&waiting.await), "ok");
    assert_eq!(verdict(&outer.await.unwrap()), "ok");
    assert!(before.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_key_is_not_used_up_by_a_call_that_never_ran() {
    let (tool, runs) = counting(spec("pay"), Duration::ZERO);
    let (engine, _) = engine([tool]);
    let mut late = keyed("k", "a", "10");
    late.context.timeout = Some(Duration::ZERO);
    assert_eq!(verdict(&engine.call(late).await), "timeout");
    assert_eq!(verdict(&engine.call(keyed("k", "a", "10")).await), "ok");
    assert_eq!(runs.load(SeqCst), 1);
}
