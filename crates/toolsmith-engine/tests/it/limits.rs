//! Admission: slots, rates, quotas, tools that run alone.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use toolsmith_core::{Allowance, Context, RateBy, RateLimit, Tool, ToolSpec, json};
use toolsmith_engine::{EngineConfig, Quota};

use crate::fakes::{
    call, counting, echo, engine, engine_with, in_conversation, read_only, slots, spec, verdict,
};

/// A tool that notes how many of its kind run at once.
fn watched(spec: ToolSpec) -> (Tool, Arc<AtomicUsize>) {
    let most = Arc::new(AtomicUsize::new(0));
    let now = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let tool = Tool::function(spec, move |_cx, _input| {
        let (now, seen) = (Arc::clone(&now), Arc::clone(&seen));
        async move {
            seen.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
            tokio::time::sleep(Duration::from_secs(1)).await;
            now.fetch_sub(1, SeqCst);
            Ok(json!(null))
        }
    });
    (tool, most)
}

async fn at_once(
    engine: &toolsmith_engine::Engine,
    calls: Vec<toolsmith_core::Call>,
) -> Vec<&'static str> {
    let running: Vec<_> = calls
        .into_iter()
        .map(|call| {
            let engine = engine.clone();
            tokio::spawn(async move { verdict(&engine.call(call).await) })
        })
        .collect();
    let mut verdicts = Vec::new();
    for call in running {
        verdicts.push(call.await.unwrap());
    }
    verdicts
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_run_at_once_than_there_are_slots_and_a_full_queue_rejects() {
    let (tool, most) = watched(spec("slow"));
    let (engine, sink) = engine_with(slots(2, 3), [tool]);
    let verdicts = at_once(&engine, (0..8).map(|_| call("slow")).collect()).await;
    assert_eq!(most.load(SeqCst), 2);
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "ok").count(), 5);
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "rejected").count(), 3);
    assert_eq!(sink.count(), 8);
}

#[tokio::test(start_paused = true)]
async fn nodes_of_a_workflow_are_neither_limited_nor_counted() {
    let (tool, most) = watched(spec("slow"));
    let (engine, _) = engine_with(slots(1, 0), [tool]);
    let node = |n: usize| call("slow").with_context(Context::for_workflow("w", n.to_string()));
    let verdicts = at_once(&engine, (0..5).map(node).collect()).await;
    assert_eq!(verdicts, ["ok"; 5]);
    assert_eq!(most.load(SeqCst), 5);
    assert_eq!(engine.metrics().limits.total_acquired, 0);
    assert_eq!(engine.metrics().uncounted, 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_not_parallel_runs_alone_in_its_conversation() {
    let (alone, most) = watched(spec("alone"));
    let (beside, most_beside) = watched(spec("beside").with_annotations(read_only()));
    let (engine, _) = engine([alone, beside]);
    let calls = |tool: &str| (0..3).map(|_| in_conversation(tool, "c")).collect();
    assert_eq!(at_once(&engine, calls("alone")).await, ["ok"; 3]);
    assert_eq!(most.load(SeqCst), 1);
    assert_eq!(at_once(&engine, calls("beside")).await, ["ok"; 3]);
    assert_eq!(most_beside.load(SeqCst), 3);
    let others = (0..3).map(|n| in_conversation("alone", &format!("c{n}"))).collect();
    at_once(&engine, others).await;
    assert_eq!(most.load(SeqCst), 3, "conversations do not wait for each other");
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_refuses_with_the_time_to_wait() {
    let limit = RateLimit { calls: 2, per: Duration::from_secs(10), by: RateBy::Caller };
    let (tool, runs) =
        counting(spec("rare").with(|spec| spec.rate_limit = Some(limit)), Duration::ZERO);
    let (engine, _) = engine([tool]);
    let by = |caller: &'static str| call("rare").with_context(Context::direct(caller));
    for _ in 0..2 {
        assert_eq!(verdict(&engine.call(by("a")).await), "ok");
    }
    let outcome = engine.call(by("a")).await;
    assert_eq!(verdict(&outcome), "rate_limited");
    assert_eq!(outcome.error().unwrap().retry_after(), Some(Duration::from_secs(5)));
    assert_eq!(verdict(&engine.call(by("b")).await), "ok");
    tokio::time::advance(Duration::from_secs(5)).await;
    assert_eq!(verdict(&engine.call(by("a")).await), "ok");
    assert_eq!(runs.load(SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn quotas_hold_over_all_tools_and_costs_are_added_up() {
    let config = EngineConfig {
        caller_quota: Some(Quota { calls: 3, per: Duration::from_hours(1) }),
        ..EngineConfig::default()
    };
    let dear = counting(spec("dear").with(|spec| spec.cost = Some(0.25)), Duration::ZERO).0;
    let (engine, _) = engine_with(config, [dear, echo()]);
    let by = |tool: &str| call(tool).with_context(Context::direct("a"));
    for tool in ["dear", "echo", "dear"] {
        assert_eq!(verdict(&engine.call(by(tool)).await), "ok");
    }
    assert_eq!(verdict(&engine.call(by("echo")).await), "rate_limited");
    let usage = engine.usage("a");
    assert_eq!((usage.calls, usage.cost), (3, 0.5));
}

#[tokio::test(start_paused = true)]
async fn an_allowance_of_one_caller_counts_for_it_and_for_nobody_else() {
    let (engine, _) = engine([echo()]);
    let rate = RateLimit { calls: 1, per: Duration::from_secs(10), by: RateBy::Caller };
    let quota = Quota { calls: 2, per: Duration::from_hours(1) };
    let allowance = Allowance { rate: Some(rate), quota: Some(quota), concurrency: None };
    let by = |caller: &'static str, allowance: Allowance| {
        let mut context = Context::direct(caller);
        context.rights.allowance = allowance;
        engine.call(call("echo").with_context(context))
    };
    assert_eq!(verdict(&by("a", allowance).await), "ok");
    assert_eq!(verdict(&by("a", allowance).await), "rate_limited");
    assert_eq!(verdict(&by("b", Allowance::default()).await), "ok");
    tokio::time::advance(Duration::from_secs(10)).await;
    assert_eq!(verdict(&by("a", allowance).await), "ok");
    tokio::time::advance(Duration::from_secs(10)).await;
    // The rate would allow it; the quota is used up.
    assert_eq!(verdict(&by("a", allowance).await), "rate_limited");
}

#[tokio::test(start_paused = true)]
async fn calls_that_were_turned_away_cost_nothing() {
    let dear = spec("dear").with(|spec| spec.cost = Some(1.0));
    let (engine, _) = engine_with(slots(1, 0), [watched(dear).0]);
    let calls = (0..5).map(|_| call("dear").with_context(Context::direct("a"))).collect();
    let verdicts = at_once(&engine, calls).await;
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "ok").count(), 1);
    assert_eq!(engine.usage("a").calls, 1);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_calls_wait_for_others_of_their_conversation() {
    let (engine, _) = engine_with(slots(10, 3), [watched(spec("alone")).0]);
    let calls = (0..10).map(|_| in_conversation("alone", "c")).collect();
    let verdicts = at_once(&engine, calls).await;
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "ok").count(), 4);
    assert_eq!(verdicts.iter().filter(|verdict| **verdict == "rejected").count(), 6);
    assert_eq!(engine.metrics().waiting_in_conversations, 0);
}

#[tokio::test(start_paused = true)]
async fn a_crowd_is_no_failure_of_the_tool() {
    let (engine, _) = engine_with(slots(1, 0), [watched(spec("slow")).0]);
    let holder = tokio::spawn({
        let engine = engine.clone();
        async move { engine.call(call("slow")).await }
    });
    tokio::task::yield_now().await;
    for _ in 0..6 {
        let outcome = engine.call(in_conversation("slow", "c")).await;
        assert_eq!(verdict(&outcome), "rejected");
        assert!(outcome.error().unwrap().is_retryable());
    }
    holder.await.unwrap();
}
