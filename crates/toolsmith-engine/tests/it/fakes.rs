//! Small tools and engines that the tests share.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    time::Duration,
};

use toolsmith_core::{
    Annotations, Call, Context, Outcome, Parameter, Tool, ToolError, ToolSpec, Value, json,
};
use toolsmith_engine::{Builder, Engine, EngineConfig, limiter::LimiterConfig};
use toolsmith_testing::sink::MemorySink;

/// A description with one text parameter `text`.
pub(crate) fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name)
        .unwrap()
        .with_description("A tool for tests.")
        .with_parameters(&[Parameter::string("text")])
}

pub(crate) fn read_only() -> Annotations {
    Annotations { read_only: true, ..Annotations::default() }
}

/// Answers with its input.
pub(crate) fn echo() -> Tool {
    Tool::function(spec("echo"), |_cx, input| async move { Ok(input) })
}

/// Never answers.
pub(crate) fn hang() -> Tool {
    Tool::function(spec("hang"), |_cx, _input| std::future::pending())
}

/// Panics.
pub(crate) fn crash() -> Tool {
    Tool::function(spec("crash"), |_cx, _input| async move { panic!("the roof is on fire") })
}

/// Fails for good.
pub(crate) fn fail() -> Tool {
    Tool::function(spec("fail"), |_cx, _input| async move {
        Err(ToolError::failed("The printer is out of paper; add some."))
    })
}

/// Counts its runs, taking some time for each.
pub(crate) fn counting(spec: ToolSpec, takes: Duration) -> (Tool, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let tool = Tool::function(spec, move |_cx, _input| {
        let run = counter.fetch_add(1, SeqCst) + 1;
        async move {
            tokio::time::sleep(takes).await;
            Ok(json!({ "run": run }))
        }
    });
    (tool, runs)
}

/// An engine with records in memory.
pub(crate) fn engine(tools: impl IntoIterator<Item = Tool>) -> (Engine, MemorySink) {
    engine_with(EngineConfig::default(), tools)
}

/// The same with settings.
pub(crate) fn engine_with(
    config: EngineConfig,
    tools: impl IntoIterator<Item = Tool>,
) -> (Engine, MemorySink) {
    let sink = MemorySink::new();
    (builder(&sink).with_config(config).tools(tools).build().unwrap(), sink)
}

pub(crate) fn builder(sink: &MemorySink) -> Builder {
    Engine::builder().with_records(Arc::new(sink.clone()))
}

/// Settings with that many slots and that much room to wait.
pub(crate) fn slots(max_concurrent: usize, queue_size: usize) -> EngineConfig {
    let limits = LimiterConfig { max_concurrent, queue_size, ..LimiterConfig::default() };
    EngineConfig { limits, ..EngineConfig::default() }
}

pub(crate) fn call(tool: &str) -> Call {
    Call::new(tool, json!({}))
}

pub(crate) fn in_conversation(tool: &str, conversation: &str) -> Call {
    call(tool).with_context(Context::for_conversation("agent", conversation.to_owned()))
}

pub(crate) fn call_with(tool: &str, input: Value) -> Call {
    Call::new(tool, input)
}

/// The stable name of the error, or `ok`.
pub(crate) fn verdict(outcome: &Outcome) -> &'static str {
    outcome.error().map_or("ok", |error| error.kind().as_str())
}
