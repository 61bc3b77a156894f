//! One trivial call in three sizes: the bare function, the irreducible work, the whole line.

use std::{hint::black_box, sync::Arc, time::Instant};

use anyhow::{Context as _, Result};
use jsonschema::Validator;
use serde::Serialize;
use toolsmith_core::{Call, Context, Map, RecordSink, Text, Tool, ToolSpec, Value};
use toolsmith_engine::{Engine, EngineConfig};

use crate::machine::nanos_each;

/// The input of every measured call, as a door receives it.
pub(crate) const INPUT: &str = r#"{"message":"hello, world"}"#;

/// What `echo` does, without anything around it.
pub(crate) fn bare(input: Value) -> Value {
    let Value::Object(mut fields) = input else { return Value::Null };
    let mut output = Map::new();
    output.insert("message".to_owned(), fields.remove("message").unwrap_or_default());
    Value::Object(output)
}

pub(crate) fn parse() -> Value {
    serde_json::from_str(black_box(INPUT)).unwrap_or_default()
}

/// Returns the built-in `echo`.
pub(crate) fn echo() -> Result<Tool> {
    let tools = toolsmith_builtins::all()?;
    tools.into_iter().find(|tool| tool.spec.name.as_str() == "echo").context("no `echo`")
}

/// The context of the measured calls: each thread is a conversation of its own.
pub(crate) fn context() -> Context {
    thread_local! {
        static CONVERSATION: Text = Text::from(format!("conversation-{}", fastrand::u16(..)));
    }
    Context::for_conversation(Text::new_static("agent-1"), CONVERSATION.with(Text::clone))
}

/// An engine with `echo` and that many other tools.
pub(crate) fn engine(others: usize, sink: Option<Arc<dyn RecordSink>>) -> Result<Engine> {
    let builder = Engine::builder().with_config(EngineConfig::default()).tool(echo()?);
    let builder = builder.tools((0..others).map(filler));
    Ok(match sink {
        Some(sink) => builder.with_records(sink).build()?,
        None => builder.build()?,
    })
}

/// One of many tools of ordinary size.
pub(crate) fn filler(number: usize) -> Result<Tool, toolsmith_core::ToolError> {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "language": {"type": "string", "enum": ["en", "zh", "de"]}
        },
        "required": ["query"]
    });
    let spec = ToolSpec::new(&format!("catalogue_search_{number}"))?
        .with_description(format!("Searches catalogue {number} for entries that fit a question."))
        .with_category("data")
        .with_input_schema(&schema);
    Ok(Tool::function(spec, |_cx, input| async move { Ok(input) }))
}

/// The least that any implementation does for a recorded call.
pub(crate) struct Irreducible {
    validator: Validator,
}

/// A record with nothing prepared for later: its values are written in one pass.
#[derive(Serialize)]
struct Line<'a> {
    record_id: u64,
    tool_name: &'a str,
    version: &'a str,
    params: &'a Value,
    result: &'a Value,
    execution_time: f64,
    is_success: bool,
    error: Option<&'a str>,
    error_type: Option<&'a str>,
    caller_id: &'a str,
    caller_type: &'a str,
    conversation_id: &'a str,
    workflow_id: Option<&'a str>,
    node_id: Option<&'a str>,
    task_id: Option<&'a str>,
    user_id: Option<&'a str>,
    created_at: i64,
}

impl Irreducible {
    pub(crate) fn new() -> Result<Self> {
        let schema = echo()?.spec.input_schema.to_value();
        Ok(Self { validator: jsonschema::validator_for(&schema).context("the schema of echo")? })
    }

    /// Parses, validates, runs, and writes the record as JSON.
    pub(crate) fn call(&self) -> usize {
        let params = parse();
        if !self.validator.is_valid(&params) {
            return 0;
        }
        let result = bare(params.clone());
        let line = Line {
            record_id: black_box(0x0199_c2f4_0000_7000),
            tool_name: "echo",
            version: "1.0.0",
            params: &params,
            result: &result,
            execution_time: 0.000_001,
            is_success: true,
            error: None,
            error_type: None,
            caller_id: "agent-1",
            caller_type: "conversation_agent",
            conversation_id: "conversation-1",
            workflow_id: None,
            node_id: None,
            task_id: None,
            user_id: None,
            created_at: black_box(1_763_164_800_000),
        };
        serde_json::to_string(&line).map_or(0, |text| text.len())
    }
}

/// Returns nanoseconds for one bare call.
pub(crate) fn time_bare(calls: usize) -> f64 {
    let inputs: Vec<Value> = (0..calls).map(|_| parse()).collect();
    let start = Instant::now();
    for input in inputs {
        black_box(bare(black_box(input)));
    }
    nanos_each(start.elapsed(), calls)
}

/// Returns nanoseconds for one piece of irreducible work.
pub(crate) fn time_irreducible(work: &Irreducible, calls: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(work.call());
    }
    nanos_each(start.elapsed(), calls)
}

/// Returns nanoseconds for one call from text to outcome; the caller's own thread only.
pub(crate) async fn time_calls(engine: &Engine, calls: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        let call = Call::new("echo", parse()).with_context(context());
        black_box(engine.call(call).await);
    }
    nanos_each(start.elapsed(), calls)
}
