//! Samples of the JSON dialect of Llama 3.

use serde_json::json;

use super::super::samples::{calls, read, tools};
use crate::{Dialect, Fences, Settings, parse};

#[test]
fn calls_are_read_bare_and_behind_the_tag() {
    for text in [
        r#"<|python_tag|>{"name": "add", "parameters": {"a": 1}};{"name": "add", "parameters": {"a": 2}}"#,
        r#"{"name": "add", "arguments": {"a": 1}}; {"name": "add", "parameters": {"a": 2}}"#,
        r#"<|python_tag|>{"name": "add", "parameters": {"a": 1}}<|python_tag|>{"name": "add", "parameters": {"a": 2}}"#,
    ] {
        let reply = read(Dialect::LlamaJson, text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]), "{text}");
        assert_eq!(reply.text(), "", "{text}");
    }
}

#[test]
fn text_around_calls_is_kept_to_the_byte() {
    let reply = read(Dialect::LlamaJson, "Hm. {\"name\": \"add\", \"parameters\": {}} ; and on");
    assert_eq!(reply.calls.len(), 1);
    assert_eq!(reply.text(), "Hm.  ; and on");
}

#[test]
fn other_json_is_text() {
    for text in
        [r#"{"name": "Ada"}"#, r#"{"parameters": {}}"#, "{hello [A(A=", r#"{"a": {"name": 1}}"#]
    {
        let reply = read(Dialect::LlamaJson, text);
        assert!(reply.calls.is_empty() && reply.set_aside.is_empty(), "{text}");
        assert_eq!(reply.text(), text);
    }
}

#[test]
fn behind_the_tag_unknown_tools_are_passed_on() {
    let text = r#"<|python_tag|>{"name": "x", "parameters": {}};{"name": "y", "parameters": {}}"#;
    assert_eq!(calls(&read(Dialect::LlamaJson, text)), json!([["x", {}], ["y", {}]]));
}

#[test]
fn a_call_in_a_fence_is_a_call_when_that_is_asked_for() {
    let text = "```json\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n```\n";
    assert!(read(Dialect::LlamaJson, text).calls.is_empty());
    let settings = Settings { fences: Fences::Calls, ..Settings::default() };
    let reply = parse(Dialect::LlamaJson, text, &tools(), &settings);
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
}
