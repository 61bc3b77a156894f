//! Samples of the dialects of Mistral.

use serde_json::json;

use super::super::samples::{calls, problems, read};
use crate::{Dialect, ProblemKind};

#[test]
fn a_marker_before_a_call_of_another_dialect_hides_nothing() {
    let text = "[TOOL_CALLS] so: <tool_call>{\"name\": \"add\", \"arguments\": {}}</tool_call>";
    let reply = read(Dialect::Auto, text);
    assert_eq!(calls(&reply), json!([["add", {}]]));
    assert_eq!(reply.text(), "so: ");
}

#[test]
fn both_forms_are_read_whichever_was_asked_for() {
    let list = r#"Hm. [TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}, "id": "x1"}, {"name": "add", "arguments": {"a": 2}}]"#;
    let compact = r#"Hm. [TOOL_CALLS]add[CALL_ID]x1[ARGS]{"a": 1}[TOOL_CALLS]add[ARGS]{"a": 2}"#;
    for text in [list, compact] {
        for dialect in [Dialect::Mistral, Dialect::MistralCompact, Dialect::Auto] {
            let reply = read(dialect, text);
            assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]), "{dialect}");
            assert_eq!(reply.calls[0].id.as_deref(), Some("x1"));
            assert_eq!(reply.text(), "Hm. ");
            assert!(reply.problems.is_empty(), "{:?}", reply.problems);
        }
    }
}

#[test]
fn arguments_may_follow_the_name_without_a_marker() {
    assert_eq!(
        calls(&read(Dialect::MistralCompact, "[TOOL_CALLS]add{\"a\": 1}")),
        json!([["add", {"a": 1}]])
    );
}

#[test]
fn prose_behind_the_marker_is_no_call() {
    for text in ["[TOOL_CALLS] I would call {\"a\": 1}", "[TOOL_CALLS]", "[TOOL_CALLS] [not json]"]
    {
        let reply = read(Dialect::Mistral, text);
        assert!(reply.calls.is_empty() && reply.set_aside.is_empty(), "{text}");
        assert!(!reply.problems.is_empty(), "{text}");
    }
}

#[test]
fn a_list_that_is_not_closed_is_noted() {
    let reply = read(Dialect::Mistral, r#"[TOOL_CALLS][{"name": "add", "arguments": {}}"#);
    assert_eq!(reply.calls.len(), 1);
    assert_eq!(problems(&reply), [ProblemKind::MissingEnd]);
}

#[test]
fn a_name_without_an_object_behind_it_is_set_aside() {
    let reply = read(Dialect::MistralCompact, "[TOOL_CALLS]add[ARGS] 观");
    assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1));
    assert_eq!(reply.text(), "观");
    assert_eq!(problems(&reply), [ProblemKind::UnreadableArguments]);
}
