//! A tool whose calls are calls of the tools that they name.

use toolsmith_core::{
    AllowList, Call, Context, ErrorKind, Exposure, Parameter, Rights, Tool, ToolSpec, Value, Work,
    json,
};
use toolsmith_engine::Engine;
use toolsmith_testing::sink::MemorySink;

use crate::fakes::engine;

fn workshop() -> (Engine, MemorySink) {
    let spec = |name: &str| ToolSpec::new(name).unwrap();
    let double = Tool::function(
        spec("double").with_parameters(&[Parameter::integer("n").required()]),
        |_cx, input| async move { Ok(json!(input["n"].as_i64().unwrap_or_default() * 2)) },
    );
    let find = Tool::function(spec("find").with_description("Looks."), |cx, input| async move {
        let found = cx.search(input["query"].as_str().unwrap_or_default(), 9);
        Ok(found.iter().map(|spec| Value::from(spec.name.as_str())).collect())
    });
    let hidden = Tool { spec: spec("call_any"), work: Work::Indirect };
    let secret = Tool::function(
        spec("double_secretly").with(|spec| spec.exposure = Exposure::Hidden),
        |_cx, _input| async { Ok(json!("hush")) },
    );
    let other = Tool { spec: spec("call_other"), work: Work::Indirect };
    engine([double, find, hidden, secret, other])
}

fn through(input: Value) -> Call {
    Call::new("call_any", input)
}

#[tokio::test]
async fn the_call_is_one_of_the_tool_that_it_names() {
    let (engine, sink) = workshop();
    for arguments in [json!({"n": 21}), json!(r#"{"n": 21}"#)] {
        let call = through(json!({"name": "double@^1", "arguments": arguments, "why": "so"}));
        let outcome = engine.call(call).await;
        assert_eq!(outcome.output(), &json!(42), "{outcome:?}");
        assert_eq!(outcome.tool_name.as_str(), "double");
        assert_eq!(outcome.metadata["called_through"], "call_any");
        assert_eq!(outcome.metadata["dropped_parameters"], json!(["why"]));
    }
    let records = sink.records();
    let names: Vec<&str> = records.iter().map(|record| record.tool_name.as_str()).collect();
    assert_eq!(names, ["double", "double"]);
    assert_eq!(records[0].params.to_value(), json!({"n": 21}));
}

#[tokio::test]
async fn the_named_tool_checks_its_input() {
    let (engine, _) = workshop();
    let outcome = engine.call(through(json!({"name": "double", "arguments": {}}))).await;
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ErrorKind::ValidationError);
    assert_eq!(error.details()[0]["parameter"], "n");
    // Hidden means callable by name, never listed.
    let outcome = engine.call(through(json!({"name": "double_secretly"}))).await;
    assert_eq!(outcome.output(), &json!("hush"));
}

#[tokio::test]
async fn a_call_that_names_no_tool_is_refused() {
    let (engine, _) = workshop();
    for (input, kind) in [
        (json!({"name": "duble"}), ErrorKind::ToolNotFound),
        (json!({"name": "call_any"}), ErrorKind::ValidationError),
        (json!({"name": "call_other"}), ErrorKind::ValidationError),
        (json!({"name": 3}), ErrorKind::ExecutorNotFound),
        (json!({}), ErrorKind::ExecutorNotFound),
        (json!([]), ErrorKind::ValidationError),
    ] {
        let outcome = engine.call(through(input.clone())).await;
        assert_eq!(outcome.error().unwrap().kind(), kind, "{input} {outcome:?}");
    }
}

#[tokio::test]
async fn rights_hold_for_the_way_and_for_the_tool() {
    let (engine, _) = workshop();
    let call = |tools: &[&str]| {
        let rights =
            Rights { tools: Some(AllowList::new(tools.iter().copied())), ..Rights::default() };
        let context = Context { rights, ..Context::default() };
        engine.call(through(json!({"name": "double", "arguments": {"n": 1}})).with_context(context))
    };
    assert_eq!(call(&["double"]).await.error().unwrap().kind(), ErrorKind::ToolNotFound);
    assert_eq!(call(&["call_any"]).await.error().unwrap().kind(), ErrorKind::ToolNotFound);
    assert_eq!(call(&["call_*", "double"]).await.output(), &json!(2));
}

#[tokio::test]
async fn a_tool_finds_the_tools_that_its_caller_may_see() {
    let (engine, _) = workshop();
    let find = |rights: Rights| {
        let context = Context { rights, ..Context::default() };
        engine.call(Call::new("find", json!({"query": "double"})).with_context(context))
    };
    assert_eq!(find(Rights::default()).await.output(), &json!(["double"]));
    let only = Rights { tools: Some(AllowList::new(["find"])), ..Rights::default() };
    assert_eq!(find(only).await.output(), &json!([]));
}
