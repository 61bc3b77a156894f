//! Samples of the dialect of `OpenAI` responses.

use serde_json::json;

use super::super::samples::{calls, events, read_answer, specs};
use crate::{Dialect, RenderSettings, render_tools};

#[test]
fn whole_responses_are_read() {
    let text = json!({"object": "response", "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "x", "name": "add", "arguments": "{\"a\": 1}"},
        {"type": "function_call", "call_id": "y", "name": "add", "arguments": "{\"a\": 1", "status": "incomplete"},
    ]});
    for dialect in [Dialect::OpenAiResponses, Dialect::Auto] {
        let reply = read_answer(dialect, &text.to_string());
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
        assert_eq!(reply.calls[0].id.as_deref(), Some("x"));
        assert_eq!((reply.text().as_str(), reply.set_aside.len()), ("Hm.", 1));
    }
}

#[test]
fn the_events_of_a_stream_are_put_together_once() {
    let item = json!({"type": "function_call", "call_id": "x", "name": "add", "arguments": ""});
    let done = json!({"type": "function_call", "call_id": "x", "name": "add", "arguments": "{\"a\": 1}", "status": "completed"});
    let delta = |text: &str| json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": text});
    let stream = [
        json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Hm."}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": item}),
        delta("{\"a\""),
        delta(": 1}"),
        json!({"type": "response.function_call_arguments.done", "output_index": 1, "arguments": "{\"a\": 1}"}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": done}),
        json!({"type": "response.completed", "response": {"output": [done]}}),
    ];
    let reply = read_answer(Dialect::OpenAiResponses, &events(&stream));
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(reply.text(), "Hm.");
    let reply = read_answer(Dialect::OpenAiResponses, &events(&stream[..3]));
    assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1));
}

#[test]
fn arguments_that_were_not_streamed_are_taken_from_the_end() {
    let item = |arguments: &str| json!({"type": "function_call", "call_id": "x", "name": "add", "arguments": arguments});
    let event = |kind: &str, arguments: &str| json!({"type": kind, "output_index": 0, "item": item(arguments)});
    let added = event("response.output_item.added", "");
    let done = event("response.output_item.done", "{\"a\": 1}");
    let end = json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"a\": 1}"});
    let start = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"a\""});
    let other =
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{'"});
    let streams = [
        vec![added.clone(), done.clone()],
        vec![added.clone(), end.clone(), done.clone()],
        vec![added.clone(), start, done.clone()],
        vec![added, other, end, done.clone()],
        vec![done],
    ];
    for stream in streams {
        let reply = read_answer(Dialect::OpenAiResponses, &events(&stream));
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{stream:?}");
        assert!(reply.problems.is_empty(), "{:?}", reply.problems);
    }
}

#[test]
fn a_call_that_is_done_after_the_next_began_is_one_call() {
    let event = |kind: &str, key: u64, arguments: &str| json!({"type": kind, "output_index": key, "item": {"type": "function_call", "call_id": key.to_string(), "name": "add", "arguments": arguments}});
    let delta = |key: u64| json!({"type": "response.function_call_arguments.delta", "output_index": key, "delta": "{}"});
    let stream = [
        event("response.output_item.added", 0, ""),
        delta(0),
        event("response.output_item.added", 1, ""),
        delta(1),
        event("response.output_item.done", 0, "{}"),
        event("response.output_item.done", 1, "{}"),
    ];
    let reply = read_answer(Dialect::OpenAiResponses, &events(&stream));
    assert_eq!(calls(&reply), json!([["add", {}], ["add", {}]]));
}

#[test]
fn the_last_item_of_a_response_that_is_not_whole_is_not_repaired() {
    let item = json!({"type": "function_call", "call_id": "x", "name": "add", "arguments": "{\"a\": \"x\""});
    for status in [Some("incomplete"), Some("failed"), None] {
        let answer = json!({"object": "response", "status": status, "output": [item]});
        let reply = read_answer(Dialect::OpenAiResponses, &answer.to_string());
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1), "{status:?}");
    }
    let whole = json!({"object": "response", "status": "completed", "output": [item]});
    assert_eq!(read_answer(Dialect::OpenAiResponses, &whole.to_string()).calls.len(), 1);
}

#[test]
fn definitions_are_flat_and_not_strict() {
    let specs = specs();
    let shown = render_tools(Dialect::OpenAiResponses, &[&specs[0]], &RenderSettings::default());
    assert_eq!(shown.content[0]["name"], "add");
    assert_eq!(shown.content[0]["strict"], false);
}
