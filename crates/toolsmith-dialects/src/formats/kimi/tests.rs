//! Samples of the dialect of Kimi K2.

use serde_json::json;

use super::super::samples::{calls, problems, read};
use crate::{
    Dialect, ProblemKind, Provenance, ShownCall, ShownResult, Tools, render_calls, render_results,
};

const ONE: &str = "<|tool_call_begin|>functions.file.write:0<|tool_call_argument_begin|>{\"path\": \"<|tool_call_end|>\"}<|tool_call_end|>";

#[test]
fn the_identifier_carries_the_name() {
    let reply = read(
        Dialect::Kimi,
        &format!("Now.<|tool_calls_section_begin|>{ONE}<|tool_calls_section_end|> Done."),
    );
    assert_eq!(calls(&reply), json!([["file.write", {"path": "<|tool_call_end|>"}]]));
    assert_eq!(reply.calls[0].id.as_deref(), Some("functions.file.write:0"));
    assert_eq!(reply.text(), "Now. Done.");
    assert!(reply.problems.is_empty());
}

#[test]
fn calls_are_read_without_the_section_and_without_its_end() {
    assert_eq!(read(Dialect::Kimi, ONE).calls.len(), 1);
    let reply = read(Dialect::Kimi, &format!("<|tool_calls_section_begin|>{ONE}"));
    assert_eq!(reply.calls.len(), 1);
}

#[test]
fn a_broken_body_does_not_harm_the_next_call() {
    let reply = read(
        Dialect::Kimi,
        &format!(
            "<|tool_calls_section_begin|>noise<|tool_call_begin|>functions.add:0<|tool_call_argument_begin|>{{\"a\": fasle<|tool_call_end|>{ONE}<|tool_calls_section_end|>"
        ),
    );
    assert_eq!(calls(&reply), json!([["file.write", {"path": "<|tool_call_end|>"}]]));
    assert_eq!(reply.set_aside.len(), 1);
    assert_eq!(problems(&reply), [ProblemKind::IgnoredText, ProblemKind::UnreadableArguments]);
}

#[test]
fn a_call_without_a_head_is_left_out_and_noted() {
    let reply =
        read(Dialect::Kimi, "<|tool_calls_section_begin|><|tool_call_begin|>add<|tool_call_end|>");
    assert!(reply.calls.is_empty());
    assert!(problems(&reply).contains(&ProblemKind::NamelessCall));
}

#[test]
fn calls_and_results_carry_the_identifier_of_the_model() {
    let arguments = json!({});
    for (id, own) in [
        (Some("functions.add:5"), "functions.add:5"),
        (Some("add:7"), "add:7"),
        (Some("call_1"), "functions.add:0"),
        (Some("functions.other:3"), "functions.add:0"),
        (None, "functions.add:0"),
    ] {
        let call = ShownCall { id, name: "add", arguments: &arguments };
        let text = render_calls(Dialect::Kimi, &[call], &Tools::none());
        assert_eq!(read(Dialect::Kimi, &text).calls[0].id.as_deref(), Some(own));
        let result =
            ShownResult { id, name: "add", result: Ok(&arguments), provenance: Provenance::Own };
        let text = render_results(Dialect::Kimi, &[result]);
        assert!(text.contains(&format!("## Return of {own}\n")), "{text}");
    }
}
