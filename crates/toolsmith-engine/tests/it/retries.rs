//! Failed attempts that are repeated, and upstreams that are left alone.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use toolsmith_core::{
    Advice, Annotations, BoxFuture, Context, Executor, RetryPolicy, RetryWhen, Tool, ToolContext,
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

fn weather(name: &str, runs: &Arc<AtomicU32>) -> Tool {
    Tool::executor(idempotent(name), Down(Arc::clone(runs)))
}

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

/// Fails as its input says: by a refusal, or by having nobody there until the time is up.
#[derive(Debug)]
struct Picky;

impl Executor for Picky {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            match input["text"].as_str() {
                Some("refused") => Err(ToolError::upstream("no").with_advice(Advice::Final)),
                Some("dead") => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    Err(ToolError::upstream("gone"))
                }
                Some("silent") => std::future::pending().await,
                _ => Ok(input),
            }
        })
    }

    fn upstream(&self) -> Option<&str> {
        Some("picky.example")
    }
}

#[tokio::test(start_paused = true)]
async fn one_caller_does_not_shut_out_the_others() {
    let (engine, _) = engine([Tool::executor(spec("picky"), Picky)]);
    let cx = || Context::default().with_timeout(Duration::from_secs(10));
    for how in ["refused", "silent"] {
        for _ in 0..8 {
            let input = call_with("picky", json!({ "text": how })).with_context(cx());
            assert_ne!(verdict(&engine.call(input).await), "ok");
        }
        assert_eq!(verdict(&engine.call(call("picky")).await), "ok", "{how}");
    }
    let dead = (0..8).map(|_| engine.call(call_with("picky", json!({ "text": "dead" }))));
    for outcome in futures_util::future::join_all(dead).await {
        assert_eq!(outcome.error().unwrap().message(), "gone", "{outcome:?}");
    }
    assert_eq!(verdict(&engine.call(call("picky")).await), "ok", "one death is one failure");
}

#[tokio::test(start_paused = true)]
async fn tools_of_one_upstream_share_its_rest_and_nobody_waits_for_it_in_a_slot() {
    let runs = Arc::new(AtomicU32::new(0));
    let (engine, _) = engine([weather("today", &runs), weather("tomorrow", &runs)]);
    for _ in 0..2 {
        engine.call(call("today")).await;
    }
    assert_eq!(runs.load(SeqCst), 5, "the fifth failure in a row ends the retries too");
    let before = tokio::time::Instant::now();
    let outcome = engine.call(call("tomorrow")).await;
    assert_eq!(verdict(&outcome), "upstream_error");
    assert_eq!(before.elapsed(), Duration::ZERO, "refused at once");
    engine.registry().reload([weather("today", &runs)], &[]).unwrap();
    engine.call(call("today")).await;
    assert_eq!(runs.load(SeqCst), 5, "a reload does not end the rest");
}

#[tokio::test]
async fn a_tool_that_timed_out_by_itself_is_not_cancelled_when_it_is_tried_again() {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let at_once = RetryPolicy { delay: Duration::ZERO, ..RetryPolicy::default() };
    let spec = idempotent("slow").with(|spec| spec.retry = Some(at_once));
    let tool = Tool::blocking(spec, move |cx, _input| {
        if counter.fetch_add(1, SeqCst) == 0 {
            return Err(ToolError::new(toolsmith_core::ErrorKind::Timeout, "the other end slept"));
        }
        Ok(json!(cx.is_cancelled()))
    });
    let (engine, _) = engine([tool]);
    assert_eq!(engine.call(call("slow")).await.output(), &json!(false));
}

#[tokio::test(start_paused = true)]
async fn absurd_durations_from_definitions_and_answers_do_no_harm() {
    let forever = Duration::MAX;
    let patient = idempotent("patient").with(|spec| {
        spec.annotations.read_only = true;
        spec.cache = Some(toolsmith_core::CachePolicy { ttl: forever, ..Default::default() });
        spec.rate_limit = Some(toolsmith_core::RateLimit {
            calls: 1_000_000,
            per: forever,
            by: toolsmith_core::RateBy::Tool,
        });
        spec.timeout = Some(forever);
    });
    let asked = spec("asked").with(|spec| {
        spec.approval = Some(toolsmith_core::Approval { expires: forever });
    });
    let later = Tool::function(idempotent("later"), move |_cx, _input| async move {
        Err(ToolError::upstream("come back").with_retry_after(forever))
    });
    let config = toolsmith_engine::EngineConfig { max_timeout: forever, ..Default::default() };
    let (engine, _) =
        crate::fakes::engine_with(config, [flaky(patient, 0).0, flaky(asked, 0).0, later]);
    for (tool, expected) in [
        ("patient", "ok"),
        ("patient", "ok"),
        ("asked", "approval_required"),
        ("later", "upstream_error"),
    ] {
        assert_eq!(verdict(&engine.call(call(tool)).await), expected, "{tool}");
    }
}
