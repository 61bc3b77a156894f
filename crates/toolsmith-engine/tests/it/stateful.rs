//! Tools that remember, one object for each thread of a conversation.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use toolsmith_core::{
    BoxFuture, Call, Context, Factory, Sharing, Stateful, Tool, ToolContext, ToolError, Value, json,
};
use toolsmith_engine::{Engine, EngineConfig};

use crate::fakes::{call, call_with, engine, engine_with, spec, verdict};

#[derive(Clone, Default)]
struct Counts {
    made: Arc<AtomicU32>,
    closed: Arc<AtomicU32>,
}

/// Counts its calls; `hang`, `panic` and `slow` do what they say.
struct Counter {
    calls: AtomicU32,
    running: AtomicU32,
    counts: Counts,
}

impl Stateful for Counter {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            let beside = self.running.fetch_add(1, SeqCst);
            match input["text"].as_str() {
                Some("hang") => std::future::pending::<()>().await,
                Some("panic") => panic!("forgot everything"),
                Some("slow") => tokio::time::sleep(Duration::from_secs(1)).await,
                _ => {}
            }
            self.running.fetch_sub(1, SeqCst);
            Ok(json!({ "calls": self.calls.fetch_add(1, SeqCst) + 1, "beside": beside }))
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            tokio::task::yield_now().await;
            self.counts.closed.fetch_add(1, SeqCst);
        })
    }
}

struct Counters(Counts, Sharing);

impl Factory for Counters {
    fn create<'a>(
        &'a self,
        _cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Arc<dyn Stateful>, ToolError>> {
        self.0.made.fetch_add(1, SeqCst);
        let (calls, running) = Default::default();
        let counter = Counter { calls, running, counts: self.0.clone() };
        Box::pin(async move { Ok(Arc::new(counter) as Arc<dyn Stateful>) })
    }

    fn sharing(&self) -> Sharing {
        self.1
    }
}

fn counter(sharing: Sharing) -> (Tool, Counts) {
    let counts = Counts::default();
    (Tool::stateful_factory(spec("counter"), Counters(counts.clone(), sharing)), counts)
}

fn in_thread(thread: &str, text: &str) -> Call {
    let context = Context { thread_id: Some(thread.into()), ..Context::default() };
    call_with("counter", json!({ "text": text })).with_context(context)
}

async fn calls(engine: &Engine, call: Call) -> Value {
    engine.call(call).await.output()["calls"].clone()
}

#[tokio::test]
async fn a_thread_keeps_its_object_and_shares_it_with_no_other() {
    let (tool, counts) = counter(Sharing::OneCallAtATime);
    let (engine, _) = engine([tool]);
    assert_eq!(calls(&engine, in_thread("a", "")).await, 1);
    assert_eq!(calls(&engine, in_thread("a", "")).await, 2);
    assert_eq!(calls(&engine, in_thread("b", "")).await, 1);
    let talk = || call("counter").with_context(Context::for_conversation("x", "talk"));
    assert_eq!(calls(&engine, talk()).await, 1);
    assert_eq!(calls(&engine, talk()).await, 2, "without a thread, the conversation is one");
    assert_eq!(counts.made.load(SeqCst), 3);
}

#[tokio::test]
async fn without_a_thread_each_call_has_a_fresh_object_that_is_closed() {
    let (tool, counts) = counter(Sharing::OneCallAtATime);
    let (engine, _) = engine([tool]);
    for _ in 0..2 {
        assert_eq!(calls(&engine, call("counter")).await, 1);
    }
    assert_eq!((counts.made.load(SeqCst), counts.closed.load(SeqCst)), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_object_wait_for_each_other_unless_they_may_mix() {
    for (sharing, beside) in [(Sharing::OneCallAtATime, 0), (Sharing::Concurrent, 1)] {
        let (tool, _) = counter(sharing);
        let (engine, _) = engine([tool]);
        let first = tokio::spawn({
            let engine = engine.clone();
            async move { engine.call(in_thread("a", "slow")).await }
        });
        tokio::task::yield_now().await;
        let second = engine.call(in_thread("a", "slow")).await;
        assert_eq!(second.output()["beside"], beside);
        assert!(first.await.unwrap().is_success());
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_is_given_up_after_a_timeout_or_a_panic() {
    let (tool, counts) = counter(Sharing::OneCallAtATime);
    let (engine, _) = engine([tool]);
    for (accident, expected) in [("hang", "timeout"), ("panic", "execution_error")] {
        assert_eq!(calls(&engine, in_thread("a", "")).await, 1);
        assert_eq!(verdict(&engine.call(in_thread("a", accident)).await), expected);
    }
    assert_eq!(calls(&engine, in_thread("a", "")).await, 1);
    engine.shutdown(Duration::from_secs(1)).await;
    assert_eq!((counts.made.load(SeqCst), counts.closed.load(SeqCst)), (3, 3));
}

#[tokio::test]
async fn objects_are_ended_by_thread_and_by_tool_and_closing_is_awaited() {
    let (tool, counts) = counter(Sharing::OneCallAtATime);
    let (engine, _) = engine([tool]);
    for thread in ["a", "b", "c"] {
        engine.call(in_thread(thread, "")).await;
    }
    assert_eq!(engine.end_thread("a").await, 1);
    assert_eq!(counts.closed.load(SeqCst), 1);
    assert_eq!(calls(&engine, in_thread("a", "")).await, 1);
    assert_eq!(engine.end_instances("counter").await, 3);
    assert_eq!(counts.closed.load(SeqCst), 4);
    assert_eq!(engine.metrics().instances, 0);
}

#[tokio::test(start_paused = true)]
async fn objects_that_nobody_uses_are_closed_after_a_while() {
    let config =
        EngineConfig { idle_instances: Duration::from_mins(10), ..EngineConfig::default() };
    let (tool, counts) = counter(Sharing::OneCallAtATime);
    let (engine, _) = engine_with(config, [tool]);
    engine.call(in_thread("a", "")).await;
    tokio::time::sleep(Duration::from_mins(9)).await;
    engine.call(in_thread("b", "")).await;
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(counts.closed.load(SeqCst), 1, "a is old, b is not");
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(counts.closed.load(SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn who_waited_for_an_object_that_was_given_up_gets_a_fresh_one() {
    let (tool, counts) = counter(Sharing::OneCallAtATime);
    let (engine, _) = engine([tool]);
    assert_eq!(calls(&engine, in_thread("a", "")).await, 1);
    let hanging = tokio::spawn({
        let engine = engine.clone();
        async move {
            let mut call = in_thread("a", "hang");
            call.context.timeout = Some(Duration::from_secs(1));
            engine.call(call).await
        }
    });
    tokio::task::yield_now().await;
    assert_eq!(calls(&engine, in_thread("a", "")).await, 1, "not the one that hung");
    assert_eq!(verdict(&hanging.await.unwrap()), "timeout");
    assert_eq!(counts.made.load(SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn ending_a_thread_waits_for_the_calls_that_use_its_object() {
    for sharing in [Sharing::OneCallAtATime, Sharing::Concurrent] {
        let (tool, counts) = counter(sharing);
        let (engine, _) = engine([tool]);
        let slow = tokio::spawn({
            let engine = engine.clone();
            async move { engine.call(in_thread("a", "slow")).await }
        });
        tokio::task::yield_now().await;
        assert_eq!(engine.end_thread("a").await, 1);
        assert!(slow.is_finished(), "{sharing:?}");
        assert_eq!(counts.closed.load(SeqCst), 1);
        assert!(slow.await.unwrap().is_success());
    }
}
