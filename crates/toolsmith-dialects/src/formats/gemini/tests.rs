//! Samples of the dialect of Gemini.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::samples::{calls, events, problems, read_answer, specs};
use crate::{
    Dialect, ProblemKind, Provenance, RenderSettings, ShownResult, render_results, render_tools,
};

fn answer(parts: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
}

#[test]
fn whole_and_streamed_answers_are_read() {
    let first = answer(&json!([{"text": "Hm."}, {"text": "why", "thought": true}]));
    let second = answer(&json!([{"functionCall": {"name": "add", "args": {"a": 1}, "id": "x"}}]));
    let third = answer(&json!([{"functionCall": {"name": "add"}}]));
    let all = [first, second, third];
    for text in [events(&all), Value::from(all.to_vec()).to_string()] {
        let reply = read_answer(Dialect::Gemini, &text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {}]]), "{text}");
        assert_eq!(reply.text(), "Hm.");
        assert_eq!(reply.calls[0].id.as_deref(), Some("x"));
    }
}

#[test]
fn other_candidates_are_noted() {
    let other = json!({"index": 1, "content": {"parts": [{"functionCall": {"name": "pay"}}]}});
    let mut both = answer(&json!([{"functionCall": {"name": "add"}}]));
    both["candidates"].as_array_mut().unwrap().push(other.clone());
    let reply = read_answer(Dialect::Gemini, &events(&[both, json!({"candidates": [other]})]));
    assert_eq!(calls(&reply), json!([["add", {}]]));
    assert_eq!(problems(&reply), [ProblemKind::IgnoredText]);
}

#[test]
fn the_order_of_calls_is_that_of_their_numbers() {
    let parts = json!([{"functionCall": {"name": "add", "args": "bad"}}, {"functionCall": {"name": "add", "args": {"a": 2}}}]);
    let reply = read_answer(Dialect::Gemini, &answer(&parts).to_string());
    assert_eq!((reply.set_aside[0].index, reply.calls[0].index), (0, 1));
    assert_eq!(reply.set_aside[0].arguments, "bad");
}

#[test]
fn text_stands_where_its_object_does() {
    let text = "é {\"text\": \"\\u89c2 x\"}{\"text\": \"观观\"}";
    let reply = read_answer(Dialect::Gemini, text);
    let pieces: Vec<_> =
        reply.pieces.iter().map(|piece| (&*piece.text, &text[piece.range.clone()])).collect();
    assert_eq!(pieces, [("é 观 x观观", text)]);
}

#[test]
fn a_call_that_the_server_could_not_read_is_noted() {
    let text = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}).to_string();
    assert_eq!(problems(&read_answer(Dialect::Gemini, &text)), [ProblemKind::MalformedInput]);
}

#[test]
fn schemas_are_cut_to_the_subset_that_is_taken() {
    let spec = ToolSpec::new("7odd").unwrap().with_input_schema(&json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "maybe": {"type": ["integer", "null"], "exclusiveMinimum": 0},
            "either": {"oneOf": [{"type": "string", "format": "uuid"}, {"const": "x"}]},
            "level": {"type": "integer", "enum": [1, 2]},
            "list": {"type": "array"},
            "two words": {"type": "string"},
        },
        "required": ["two words", "list"],
    }));
    let shown = render_tools(Dialect::Gemini, &[&spec], &RenderSettings::default());
    let function = &shown.content[0]["functionDeclarations"][0];
    assert_eq!(
        function["parameters"],
        json!({
            "type": "object",
            "properties": {
                "maybe": {"type": "integer", "nullable": true, "description": "exclusiveMinimum: 0"},
                "either": {"anyOf": [
                    {"type": "string", "description": "Format: uuid."},
                    {"enum": ["x"], "type": "string"},
                ]},
                "level": {"type": "integer", "description": "One of: 1, 2."},
                "list": {"type": "array", "items": {"type": "string"}},
                "two_words_eb1532": {"type": "string"},
            },
            "required": ["two_words_eb1532", "list"],
        })
    );
    assert!(shown.original(function["name"].as_str().unwrap()) == "7odd");
    assert!(shown.changes.len() >= 9, "{:?}", shown.changes);
}

#[test]
fn what_needs_no_change_is_not_changed() {
    let specs = specs();
    let shown = render_tools(Dialect::Gemini, &[&specs[0]], &RenderSettings::default());
    let changed: Vec<_> = shown.changes.iter().map(|change| change.path.as_str()).collect();
    assert!(changed.iter().all(|path| *path == "/additionalProperties"), "{changed:?}");
    let none = ToolSpec::new("now").unwrap();
    let shown = render_tools(Dialect::Gemini, &[&none], &RenderSettings::default());
    assert!(shown.content[0]["functionDeclarations"][0].get("parameters").is_none());
}

#[test]
fn results_are_objects() {
    let output = json!([1]);
    let results =
        [ShownResult { id: None, name: "add", result: Ok(&output), provenance: Provenance::Own }];
    let text = render_results(Dialect::Gemini, &results);
    let content: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(content["parts"][0]["functionResponse"]["response"], json!({"result": [1]}));
}
