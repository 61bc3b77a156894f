//! Samples of the dialect of `OpenAI` chat completions.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::samples::{calls, events, read_answer, specs};
use crate::{
    Dialect, RenderSettings, ShownCall, ShownResult, Tools, render_calls, render_results,
    render_tools,
};

fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "add", "arguments": arguments}})
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}

#[test]
fn whole_answers_messages_and_lists_are_read() {
    let list = json!([call("x", "{\"a\": 1}"), call("y", "")]);
    let message = json!({"role": "assistant", "content": "Hm.", "tool_calls": list});
    let answer = json!({
        "object": "chat.completion",
        "choices": [{"message": message, "finish_reason": "tool_calls"}],
    });
    for text in [answer.to_string(), message.to_string(), list.to_string()] {
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {}]]), "{text}");
        assert_eq!(reply.calls[0].id.as_deref(), Some("x"));
        assert!(reply.problems.is_empty(), "{:?}", reply.problems);
    }
    assert_eq!(read_answer(Dialect::OpenAiChat, &answer.to_string()).text(), "Hm.");
    assert_eq!(read_answer(Dialect::Auto, &answer.to_string()).calls.len(), 2);
}

#[test]
fn streamed_chunks_are_put_together() {
    let first = json!({"index": 0, "id": "x", "function": {"name": "add", "arguments": ""}});
    let second = json!({"index": 1, "id": "y", "function": {"name": "add", "arguments": "{\"a\""}});
    let more = |index: u64, text: &str| json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]});
    let text = events(&[
        chunk(&json!({"role": "assistant", "content": "H"}), None),
        chunk(&json!({"content": "m."}), None),
        chunk(&json!({"tool_calls": [first]}), None),
        chunk(&more(0, "{\"a\":"), None),
        // The second call begins before the first is over.
        chunk(&json!({"tool_calls": [second]}), None),
        chunk(&more(0, " 1}"), None),
        chunk(&more(1, ": 2}"), None),
        chunk(&json!({}), Some("tool_calls")),
    ]) + "data: [DONE]\n\n";
    let reply = read_answer(Dialect::OpenAiChat, &text);
    assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]));
    assert_eq!(reply.text(), "Hm.");
    assert!(reply.problems.is_empty(), "{:?}", reply.problems);
}

#[test]
fn what_was_cut_off_by_the_length_is_set_aside_and_not_repaired() {
    let message = json!({"tool_calls": [call("x", "{\"a\": 1")]});
    let cut = json!({"choices": [{"message": message, "finish_reason": "length"}]}).to_string();
    let first = json!({"index": 0, "function": {"name": "add", "arguments": "{\"a\": 1"}});
    let broken = events(&[chunk(&json!({"tool_calls": [first]}), None)]);
    for text in [cut, broken] {
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1), "{text}");
    }
}

#[test]
fn an_answer_that_is_no_json_is_text_with_a_problem() {
    let reply = read_answer(Dialect::OpenAiChat, "502 Bad Gateway\n");
    assert_eq!(reply.text(), "502 Bad Gateway");
    assert_eq!(reply.problems.len(), 1);
}

#[test]
fn definitions_keep_to_the_limits_and_say_what_was_changed() {
    let odd = ToolSpec::new("odd")
        .unwrap()
        .with_description("x".repeat(2_000))
        .with_input_schema(&json!({"anyOf": [{"properties": {"l": {"type": "array"}}}]}));
    let mut specs = specs();
    specs.push(odd);
    let shown = render_tools(
        Dialect::OpenAiChat,
        &specs.iter().collect::<Vec<_>>(),
        &RenderSettings::default(),
    );
    assert_eq!(shown.content[0]["function"]["name"], "add");
    let name = shown.content[1]["function"]["name"].as_str().unwrap();
    assert!(name.starts_with("file_write_") && shown.original(name) == "file.write", "{name}");
    let odd = &shown.content[2]["function"];
    assert_eq!(odd["description"].as_str().unwrap().len(), 1_024);
    assert_eq!(
        odd["parameters"],
        json!({"properties": {"l": {"type": "array", "items": {}}}, "type": "object"})
    );
    let changed: Vec<_> = shown.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, ["", "", "/anyOf", "/properties/l"]);
}

#[test]
fn calls_and_results_are_messages() {
    let arguments = json!({"path": "a"});
    let shown = [ShownCall { id: Some("x"), name: "file.write", arguments: &arguments }];
    let reply = read_answer(
        Dialect::OpenAiChat,
        &render_calls(Dialect::OpenAiChat, &shown, &Tools::none()),
    );
    assert!(reply.calls[0].name.starts_with("file_write_"));
    let results = [ShownResult { id: Some("x"), name: "add", result: Err("no such file") }];
    let text = render_results(Dialect::OpenAiChat, &results);
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        json!([{"role": "tool", "tool_call_id": "x", "content": "Error: no such file"}])
    );
}
