//! Samples of the dialect of gpt-oss.

use serde_json::json;
use toolsmith_core::ToolSpec;

use super::super::samples::{calls, problems, read, specs};
use crate::{Dialect, ProblemKind, RenderSettings, render_tools};

#[test]
fn a_message_with_a_recipient_is_a_call() {
    for text in [
        "<|channel|>commentary to=functions.add <|constrain|>json<|message|>{\"a\": 1}<|call|>",
        "<|start|>assistant to=functions.add<|channel|>commentary json<|message|>{\"a\": 1}<|call|>",
        "<|start|>assistant<|channel|>commentary to=functions.add<|message|>{\"a\": 1}<|end|>",
    ] {
        for dialect in [Dialect::Harmony, Dialect::Auto] {
            let reply = read(dialect, text);
            assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect} {text}");
            assert!(reply.problems.is_empty(), "{:?}", reply.problems);
        }
    }
}

#[test]
fn thoughts_are_told_from_the_answer() {
    let reply = read(
        Dialect::Harmony,
        "<|channel|>analysis<|message|>I call functions.add<|end|><|start|>assistant<|channel|>final<|message|>It is 3.<|return|>",
    );
    assert!(reply.calls.is_empty());
    assert_eq!(reply.text(), "It is 3.");
    assert_eq!(reply.reasoning(), "I call functions.add");
    assert_eq!(problems(&reply), []);
}

#[test]
fn a_result_that_the_model_made_up_is_noted() {
    let reply = read(
        Dialect::Harmony,
        "<|channel|>commentary to=functions.add<|message|>{}<|call|><|start|>functions.add to=assistant<|channel|>commentary<|message|>3<|end|>",
    );
    assert_eq!(reply.calls.len(), 1);
    assert_eq!(problems(&reply), [ProblemKind::InventedResult]);
}

#[test]
fn drifting_headers_fail_soft() {
    for text in [
        "<|channel|><|channel|>x<|message|>y",
        "<|start|>",
        "<|message|>x<|call|>",
        "<|channel|>commentary to=<|message|>{",
    ] {
        assert!(read(Dialect::Harmony, text).calls.is_empty(), "{text}");
    }
}

#[test]
fn tools_are_shown_as_types() {
    let specs = specs();
    let shown = render_tools(
        Dialect::Harmony,
        &specs.iter().collect::<Vec<_>>(),
        &RenderSettings::default(),
    );
    let text = shown.text();
    assert!(text.contains("// Adds two numbers.\ntype add = (_: {\na: number,\n// The other one.\nb?: number,\n}) => any;"), "{text}");
}

#[test]
fn what_a_type_cannot_say_stands_in_a_comment() {
    let spec = ToolSpec::new("find").unwrap().with_input_schema(&json!({
        "type": "object",
        "properties": {
            "where": {"$ref": "#/$defs/place", "description": "Where."},
            "tags": {"type": "array", "items": {"type": "string", "pattern": "^a"}, "maxItems": 3},
            "two words": {"const": "x"},
        },
        "required": ["where"],
        "$defs": {"place": {
            "type": "object",
            "properties": {"楼": {"type": "integer", "minimum": 1, "description": "Floor."}},
            "required": ["楼"],
            "additionalProperties": false,
        }},
    }));
    let shown = render_tools(Dialect::Harmony, &[&spec], &RenderSettings::default());
    let wanted = "type find = (_: {\n// Where.\nwhere: {\n// Floor.\n// minimum: 1\n楼: number,\n},\n\
        // maxItems: 3\n// items.pattern: \"^a\"\ntags?: string[],\n\"two words\"?: \"x\",\n}) => any;";
    assert!(shown.text().contains(wanted), "{}", shown.text());
    assert!(shown.changes.iter().any(|change| change.path == "/properties/where"));
}
