//! Samples of the dialect of Anthropic messages.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::samples::{calls, events, read_answer};
use crate::{Dialect, Provenance, RenderSettings, ShownResult, render_results, render_tools};

fn message(stop: &str) -> Value {
    json!({"type": "message", "role": "assistant", "stop_reason": stop, "content": [
        {"type": "thinking", "thinking": "…"},
        {"type": "text", "text": "Hm."},
        {"type": "tool_use", "id": "x", "name": "add", "input": {"a": 1}},
        {"type": "tool_use", "id": "y", "name": "add", "input": {}},
    ]})
}

#[test]
fn whole_messages_and_blocks_are_read() {
    let whole = message("tool_use");
    for text in [whole.to_string(), whole["content"].to_string()] {
        let reply = read_answer(Dialect::Anthropic, &text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {}]]), "{text}");
        assert_eq!(reply.text(), "Hm.");
        assert!(reply.problems.is_empty(), "{:?}", reply.problems);
    }
    assert_eq!(read_answer(Dialect::Auto, &whole.to_string()).calls.len(), 2);
}

#[test]
fn the_last_block_of_a_message_that_was_too_long_is_set_aside() {
    for stop in ["max_tokens", "model_context_window_exceeded", "refusal", "a word to come"] {
        let reply = read_answer(Dialect::Anthropic, &message(stop).to_string());
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (1, 1), "{stop}");
    }
    for stop in ["tool_use", "end_turn", "stop_sequence"] {
        assert_eq!(read_answer(Dialect::Anthropic, &message(stop).to_string()).calls.len(), 2);
    }
}

#[test]
fn an_input_that_json_cannot_hold_costs_no_more_than_its_call() {
    let text = message("tool_use").to_string().replace("{\"a\":1}", "{\"a\":1e400}");
    let reply = read_answer(Dialect::Anthropic, &text);
    assert_eq!(calls(&reply), json!([["add", {}]]));
    assert_eq!(reply.set_aside[0].id.as_deref(), Some("x"));
    assert_eq!(reply.set_aside[0].arguments, "{\"a\":1e400}");
    assert_eq!(reply.text(), "Hm.");
}

#[test]
fn the_events_of_a_stream_are_put_together() {
    let block = json!({"type": "tool_use", "id": "x", "name": "add", "input": {}});
    let delta = |text: &str| json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stream = [
        json!({"type": "message_start", "message": {"type": "message", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hm."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": block}),
        delta(""),
        delta("{\"a\""),
        delta(": 1}"),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let reply = read_answer(Dialect::Anthropic, &events(&stream));
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(reply.text(), "Hm.");
    assert!(reply.problems.is_empty(), "{:?}", reply.problems);
}

#[test]
fn a_block_that_stops_inside_its_input_is_set_aside() {
    let block = json!({"type": "tool_use", "id": "x", "name": "add", "input": {}});
    let stream = [
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"partial_json": "{\"a\": 1"}}),
        json!({"type": "content_block_stop", "index": 0}),
    ];
    let reply = read_answer(Dialect::Anthropic, &events(&stream));
    assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1));
}

#[test]
fn references_stay_and_odd_parameters_get_other_names() {
    let spec = ToolSpec::new("odd").unwrap().with_input_schema(&json!({
        "type": "object",
        "properties": {
            "p": {"$ref": "#/$defs/point", "description": "Where."},
            "$top": {"type": "integer"},
            "loop": {"$ref": "#/$defs/loop"},
        },
        "required": ["p", "$top"],
        "$defs": {
            "point": {"type": "object", "title": "Point", "properties": {"x": {"type": "number"}}},
            "loop": {"properties": {"next": {"$ref": "#/$defs/loop"}}},
        },
    }));
    let shown = render_tools(Dialect::Anthropic, &[&spec], &RenderSettings::default());
    assert_eq!(
        shown.content[0]["input_schema"],
        json!({
            "type": "object",
            "properties": {
                "p": {"$ref": "#/$defs/point", "description": "Where."},
                "__top_654d4a": {"type": "integer"},
                "loop": {"$ref": "#/$defs/loop"},
            },
            "required": ["p", "__top_654d4a"],
            "$defs": {
                "point": {"type": "object", "properties": {"x": {"type": "number"}}},
                "loop": {"properties": {"next": {"$ref": "#/$defs/loop"}}},
            },
        })
    );
    assert_eq!(shown.changes.len(), 1);
    assert_eq!(shown.changes[0].path, "/properties/$top");
}

#[test]
fn a_union_at_the_top_is_shown_side_by_side() {
    let spec = ToolSpec::new("pay").unwrap().with_input_schema(&json!({
        "oneOf": [{"$ref": "#/$defs/card"}, {"$ref": "#/$defs/cash"}],
        "$defs": {
            "card": {"properties": {"by": {"const": "card"}, "number": {"type": "string"}}},
            "cash": {"properties": {"by": {"const": "cash"}}, "required": ["by"]},
        },
    }));
    let shown = render_tools(Dialect::Anthropic, &[&spec], &RenderSettings::default());
    assert_eq!(
        shown.content[0]["input_schema"],
        json!({
            "type": "object",
            "properties": {
                "by": {"anyOf": [{"const": "card"}, {"const": "cash"}]},
                "number": {"type": "string"},
            },
        })
    );
    assert!(shown.changes.iter().any(|change| change.path == "/oneOf"), "{:?}", shown.changes);
}

#[test]
fn errors_are_marked_in_results() {
    let results = [ShownResult {
        id: Some("x"),
        name: "add",
        result: Err("no"),
        provenance: Provenance::Own,
    }];
    let text = render_results(Dialect::Anthropic, &results);
    assert!(text.contains("\"is_error\":true") && text.contains("\"tool_use_id\":\"x\""), "{text}");
}
