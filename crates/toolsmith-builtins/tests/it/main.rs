//! Every built-in tool, as an engine sees it.

use std::{collections::HashSet, sync::Arc};

use tokio::time::{Duration, Instant};
use toolsmith_core::{
    BoxFuture, Call, CallId, Caller, Context, Outcome, Timestamp, Tool, ToolContext, ToolError,
    Value, Work,
};

/// Stands in for the engine; the built-in tools here call no other tools.
#[derive(Debug)]
struct Nobody;

impl Caller for Nobody {
    fn call(&self, _call: Call) -> BoxFuture<'_, Outcome> {
        Box::pin(std::future::pending())
    }
}

/// Runs a tool once, as an executor is run by the line of a call.
async fn run(tool: &Tool, input: Value) -> Result<Value, ToolError> {
    let call_id = CallId::from_parts(Timestamp::from_millis(0), 0);
    let name = tool.spec.name.text().clone();
    let deadline = Instant::now() + Duration::from_secs(10);
    let cx = ToolContext::new(call_id, name, Context::default(), deadline, Arc::new(Nobody));
    let Work::Async(executor) = &tool.work else {
        return Err(ToolError::failed("the tool does not run on the caller's task"));
    };
    executor.execute(&cx, input).await
}

#[test]
fn the_built_in_tools_have_names_of_their_own() {
    let tools = toolsmith_builtins::all().unwrap();
    let names: HashSet<_> = tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    assert_eq!(names.len(), tools.len());
    assert_eq!(names, HashSet::from(["calculator", "echo"]));
}

#[test]
fn every_tool_is_described_for_models() {
    for tool in toolsmith_builtins::all().unwrap() {
        let (spec, name) = (&tool.spec, &tool.spec.name);
        assert!(spec.title.is_some() && spec.description.len() > 20, "{name}");
        assert!(!spec.examples.is_empty() && spec.output_schema.is_some(), "{name}");
        assert_ne!(spec.category.as_str(), "custom", "{name}");
        let schema = spec.input_schema.to_value();
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for (parameter, schema) in schema["properties"].as_object().unwrap() {
            assert!(schema["description"].is_string(), "{name}.{parameter}");
        }
    }
}

#[tokio::test]
async fn every_example_gives_the_output_that_it_shows() {
    for tool in toolsmith_builtins::all().unwrap() {
        for example in &tool.spec.examples {
            let example = example.to_value();
            let output = run(&tool, example["input"].clone()).await.unwrap();
            assert_eq!(output, example["output"], "{}", tool.spec.name);
        }
    }
}
