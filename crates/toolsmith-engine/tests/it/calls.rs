//! One call through the whole line.

use toolsmith_core::{
    AllowList, Call, CallerType, Context, Parameter, Rights, Tool, ToolError, ToolSpec, Work, json,
};
use toolsmith_engine::{EngineConfig, UnknownParameters};

use crate::fakes::{
    builder, call, call_with, crash, echo, engine, engine_with, fail, hang, in_conversation, spec,
    verdict,
};

#[tokio::test]
async fn a_call_answers_and_leaves_one_record() {
    let (engine, sink) = engine([echo()]);
    let context = Context::for_conversation("agent-1", "conversation-1");
    let outcome = engine.call(call_with("echo", json!({"text": "hi"})).with_context(context)).await;
    assert_eq!(outcome.output(), &json!({"text": "hi"}));
    assert_eq!(outcome.version.as_deref(), Some("1.0.0"));
    let records = sink.records();
    let [record] = records.as_slice() else { panic!("one record, not {records:?}") };
    assert_eq!(record.record_id, outcome.call_id);
    assert_eq!(record.params.as_str(), r#"{"text":"hi"}"#);
    assert_eq!(record.result.as_ref().unwrap().as_str(), r#"{"text":"hi"}"#);
    assert!(record.is_success);
    assert_eq!(record.caller_type, CallerType::ConversationAgent);
    assert_eq!(record.conversation_id.as_deref(), Some("conversation-1"));
}

#[tokio::test]
async fn every_refusal_and_failure_is_recorded_with_its_kind() {
    let missing = Tool { spec: spec("nobody"), work: Work::Missing { handler: "ghost".into() } };
    let (engine, sink) = engine([echo(), fail(), crash(), missing]);
    let strict = call_with("echo", json!({"text": 5}));
    for (call, expected) in [
        (call("nowhere"), "tool_not_found"),
        (call("bad name!"), "tool_not_found"),
        (strict, "validation_error"),
        (call("fail"), "execution_error"),
        (call("crash"), "execution_error"),
        (call("nobody"), "executor_not_found"),
    ] {
        let outcome = engine.call(call).await;
        assert_eq!(verdict(&outcome), expected, "{outcome:?}");
        let record = sink.last().unwrap();
        assert_eq!(record.record_id, outcome.call_id);
        assert_eq!(record.error_type.unwrap().as_str(), expected);
        assert_eq!(record.error.as_deref(), outcome.error().map(ToolError::message));
    }
    assert_eq!(sink.count(), 6);
    assert_eq!(engine.metrics().limits.current_concurrent, 0);
}

#[tokio::test]
async fn a_near_name_is_suggested_among_the_visible_ones_only() {
    let (engine, _) = engine([echo(), fail()]);
    let outcome = engine.call(call("ecoh")).await;
    assert!(outcome.error().unwrap().message().contains("Did you mean `echo`?"), "{outcome:?}");

    let rights = Rights { tools: Some(AllowList::new(["fail"])), ..Rights::default() };
    let context = Context { rights, ..Context::default() };
    for name in ["ecoh", "echo"] {
        let outcome = engine.call(call(name).with_context(context.clone())).await;
        assert_eq!(verdict(&outcome), "tool_not_found");
        assert!(!outcome.error().unwrap().message().contains("Did you mean"), "{outcome:?}");
    }
    assert_eq!(verdict(&engine.call(call("fail").with_context(context)).await), "execution_error");
}

#[tokio::test]
async fn a_panic_is_an_error_of_its_tool_and_the_next_call_works() {
    let (engine, _) = engine([crash(), echo()]);
    let outcome = engine.call(call("crash")).await;
    assert!(outcome.error().unwrap().message().contains("the roof is on fire"));
    assert_eq!(verdict(&engine.call(call("echo")).await), "ok");
}

#[tokio::test]
async fn a_dropped_caller_is_recorded_as_cancelled() {
    let (engine, sink) = engine([hang()]);
    {
        let waiting = engine.call(call("hang"));
        tokio::select! {
            biased;
            _ = waiting => unreachable!("it hangs"),
            () = tokio::task::yield_now() => {}
        }
    }
    assert_eq!(sink.last().unwrap().error_type.unwrap().as_str(), "cancelled");
    assert_eq!(engine.metrics().limits.current_concurrent, 0);
}

#[tokio::test]
async fn unknown_parameters_are_dropped_with_a_note_or_refused_when_strict() {
    let (lenient, _) = engine([echo()]);
    let input = json!({"text": "hi", "txet": "ho"});
    let outcome = lenient.call(call_with("echo", input.clone())).await;
    assert_eq!(outcome.output(), &json!({"text": "hi"}));
    assert_eq!(outcome.metadata["dropped_parameters"], json!(["txet"]));

    let strict =
        EngineConfig { unknown_parameters: UnknownParameters::Refuse, ..EngineConfig::default() };
    let (strict, _) = engine_with(strict, [echo()]);
    let outcome = strict.call(call_with("echo", input)).await;
    assert_eq!(outcome.error().unwrap().details()[0]["kind"], "extra_parameter");
}

#[tokio::test]
async fn defaults_are_filled_in_before_the_tool_sees_the_input() {
    let spec = ToolSpec::new("search").unwrap().with_parameters(&[
        Parameter::string("query").required(),
        Parameter::integer("limit").with_default(10),
    ]);
    let tool = Tool::function(spec, |_cx, input| async move { Ok(input) });
    let (engine, sink) = engine([tool]);
    let outcome = engine.call(call_with("search", json!({"query": "x"}))).await;
    assert_eq!(outcome.output(), &json!({"query": "x", "limit": 10}));
    assert_eq!(sink.last().unwrap().params.to_value(), json!({"query": "x", "limit": 10}));
}

#[tokio::test]
async fn a_tool_calls_others_through_the_same_line_and_under_the_same_rights() {
    let outer = Tool::function(spec("outer"), |cx, _input| async move {
        let inner = cx.call("echo", json!({"text": "inside"})).await;
        Ok(inner.output().clone())
    });
    let (engine, sink) = engine_with(crate::fakes::slots(1, 0), [outer, echo()]);
    let outcome = engine.call(in_conversation("outer", "c")).await;
    assert_eq!(outcome.output(), &json!({"text": "inside"}), "one slot carries both");
    let names: Vec<_> = sink.records().iter().map(|record| record.tool_name.clone()).collect();
    assert_eq!(names, ["echo", "outer"]);
    assert_eq!(sink.records()[0].conversation_id.as_deref(), Some("c"));
}

#[tokio::test]
async fn tools_that_call_themselves_end_with_an_error() {
    let endless = Tool::function(spec("endless"), |cx, _input| async move {
        let inner = cx.call("endless", json!({})).await;
        inner.result
    });
    let (engine, sink) = engine([endless]);
    let outcome = engine.call(call("endless")).await;
    assert_eq!(verdict(&outcome), "rejected");
    assert_eq!(sink.count(), 18, "sixteen levels below the first, and the one that is refused");
}

#[tokio::test]
async fn an_output_that_breaks_its_schema_is_output_invalid() {
    let spec = spec("liar").with_output_schema(&json!({"type": "string"}));
    let liar = Tool::function(spec, |_cx, _input| async move { Ok(json!(5)) });
    let (engine, _) = engine([liar]);
    assert_eq!(verdict(&engine.call(call("liar")).await), "output_invalid");
}

#[tokio::test]
async fn a_failed_tool_is_final_after_max_retries_in_one_conversation() {
    let (engine, _) = engine([echo()]);
    let wrong = || call_with("echo", json!({"text": 1}));
    let cx = Context { max_retries: 1, ..Context::for_conversation("a", "c") };
    let mut retryable = Vec::new();
    for _ in 0..3 {
        let outcome = engine.call(wrong().with_context(cx.clone())).await;
        retryable.push(outcome.error().unwrap().is_retryable());
    }
    assert_eq!(retryable, [true, false, false]);
    let outcome = engine.call(wrong()).await;
    assert!(outcome.error().unwrap().is_retryable(), "other conversations are not concerned");
}

#[tokio::test]
async fn large_outputs_are_cut_with_a_note_and_small_ones_are_left_alone() {
    let big =
        Tool::function(spec("big"), |_cx, _input| async move { Ok(json!("é".repeat(100_000))) });
    let (engine, _) = engine([big]);
    let outcome = engine.call(call("big")).await;
    let text = outcome.output().as_str().unwrap();
    assert!(text.len() < 5_000 && text.contains("of 200000 bytes"), "{}", text.len());
    assert_eq!(outcome.metadata["output_cut"]["bytes"], 200_000);
}

#[tokio::test]
async fn a_deep_or_strange_input_is_refused_and_recorded() {
    let (engine, sink) = engine([echo()]);
    let mut deep = json!("x");
    for _ in 0..2_000 {
        deep = json!([deep]);
    }
    for input in [json!({"text": deep}), json!([1, 2]), json!("text"), json!(7)] {
        let outcome = engine.call(Call::new("echo", input)).await;
        assert_eq!(verdict(&outcome), "validation_error");
    }
    assert_eq!(sink.count(), 4);
}

#[tokio::test]
async fn an_engine_without_records_works_as_well() {
    let sink = toolsmith_testing::sink::MemorySink::new();
    let with = builder(&sink).tool(echo()).build().unwrap();
    let without = toolsmith_engine::Engine::builder().tool(echo()).build().unwrap();
    for engine in [with, without] {
        assert_eq!(verdict(&engine.call(call("echo")).await), "ok");
    }
}
