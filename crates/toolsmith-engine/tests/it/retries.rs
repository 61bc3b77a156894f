//! Failed attempts that are repeated, and upstreams that are left alone.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use toolsmith_core::{
    Annotations, BoxFuture, Context, Executor, RetryPolicy, RetryWhen, Tool, ToolContext,
    ToolError, ToolSpec, Value, json,
};

use crate::fakes::{call, call_with, engine, spec, verdict};

/// Fails that often with a passing error, then answers with its input.
fn flaky(spec: ToolSpec, failures: u32) -> (Tool, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let tool = Tool::function(spec, move |_cx, input| {
        let run = counter.fetch_add(1, SeqCst);
        async move {
            if run < failures {
                return Err(ToolError::upstream("The other end hung up; try again."));
            }
            Ok(input)
        }
    });
    (tool, runs)
}

fn idempotent(name: &str) -> ToolSpec {
    spec(name).with_annotations(Annotations { idempotent: true, ..Annotations::default() })
}

#[tokio::test(start_paused = true)]
async fn an_idempotent_tool_is_tried_again_with_the_same_input() {
    let (tool, runs) = flaky(idempotent("flaky"), 2);
    let (engine, sink) = engine([tool]);
    let outcome = engine.call(call_with("flaky", json!({"text": "same"}))).await;
    assert_eq!(outcome.output(), &json!({"text": "same"}));
    assert_eq!(runs.load(SeqCst), 3);
    assert_eq!(outcome.metadata["retries"], 2);
    assert_eq!(sink.count(), 1, "one call, one record");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_may_not_repeat_is_tried_once_unless_its_author_asks() {
    let (plain, plain_runs) = flaky(spec("plain"), 1);
    let always = RetryPolicy { when: RetryWhen::Always, ..RetryPolicy::default() };
    let (asked, asked_runs) = flaky(spec("asked").with(|spec| spec.retry = Some(always)), 1);
    let (engine, _) = engine([plain, asked]);
    assert_eq!(verdict(&engine.call(call("plain")).await), "upstream_error");
    assert_eq!(plain_runs.load(SeqCst), 1);
    assert_eq!(verdict(&engine.call(call("asked")).await), "ok");
    assert_eq!(asked_runs.load(SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn retries_end_at_the_callers_limit_and_at_the_deadline() {
    let (tool, runs) = flaky(idempotent("down"), u32::MAX);
    let (engine, _) = engine([tool]);
    let cx = Context { max_retries: 1, ..Context::default() };
    assert_eq!(verdict(&engine.call(call("down").with_context(cx)).await), "upstream_error");
    assert_eq!(runs.load(SeqCst), 2);
    let cx = Context::default().with_timeout(Duration::from_millis(10));
    let outcome = engine.call(call("down").with_context(cx)).await;
    assert_eq!(verdict(&outcome), "upstream_error", "no wait that would only end in a timeout");
    assert_eq!(runs.load(SeqCst), 3);
}

#[tokio::test]
async fn errors_that_are_final_or_need_another_input_are_not_repeated() {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let tool = Tool::function(idempotent("wrong"), move |_cx, _input| {
        counter.fetch_add(1, SeqCst);
        async { Err(ToolError::try_differently("There is no such city; spell it another way.")) }
    });
    let (engine, _) = engine([tool]);
    let outcome = engine.call(call("wrong")).await;
    assert!(outcome.error().unwrap().is_retryable(), "the model may try again, differently");
    assert_eq!(runs.load(SeqCst), 1);
}

#[derive(Debug)]
struct Down(Arc<AtomicU32>);

impl Executor for Down {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        self.0.fetch_add(1, SeqCst);
        Box::pin(async { Err(ToolError::upstream("down")) })
    }

    fn upstream(&self) -> Option<&str> {
        Some("weather.example")
    }
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_keeps_failing_is_left_alone_for_a_while() {
    let runs = Arc::new(AtomicU32::new(0));
    let (engine, _) = engine([Tool::executor(spec("weather"), Down(Arc::clone(&runs)))]);
    for _ in 0..8 {
        assert_eq!(verdict(&engine.call(call("weather")).await), "upstream_error");
    }
    assert_eq!(runs.load(SeqCst), 5);
    let outcome = engine.call(call("weather")).await;
    assert!(outcome.error().unwrap().message().contains("weather.example"), "{outcome:?}");
    tokio::time::advance(Duration::from_mins(1)).await;
    engine.call(call("weather")).await;
    assert_eq!(runs.load(SeqCst), 6, "one call tries");
}
