//! Samples of the dialect of Qwen3-Coder.

use serde_json::json;

use super::super::samples::{calls, problems, read};
use crate::{Dialect, ProblemKind};

/// Writes a call of `file.write` with a content.
fn writing(content: &str) -> String {
    format!(
        "<tool_call>\n<function=file.write>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n{content}\n</parameter>\n</function>\n</tool_call>"
    )
}

#[test]
fn tags_that_a_value_only_mentions_are_its_text() {
    for value in ["x\n<parameter=other>", "<parameter=", "a <parameter=x> b"] {
        let text = format!(
            "<tool_call>\n<function=file.write>\n<parameter=content>\n{value}\n</parameter>\n</function>\n</tool_call>"
        );
        let reply = read(Dialect::QwenCoder, &text);
        assert_eq!(calls(&reply), json!([["file.write", {"content": value}]]));
    }
}

#[test]
fn values_are_typed_by_the_schema_and_kept_to_the_byte() {
    let reply = read(
        Dialect::QwenCoder,
        "Hm.\n<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>2</parameter>\n<parameter=c> x </parameter>\n</function>\n</tool_call>\nOn.",
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1, "b": 2, "c": " x "}]]));
    assert_eq!(reply.text(), "Hm.\n\nOn.");
    let content = "    def f():\n        return \"<a>&lt;</a>\"\n";
    let reply = read(Dialect::QwenCoder, &writing(content));
    assert_eq!(reply.calls[0].arguments["content"], content);
    assert!(reply.problems.is_empty(), "{:?}", reply.problems);
}

#[test]
fn tags_of_the_dialect_inside_a_value_belong_to_it() {
    for content in [
        "a = \"</parameter>\"",
        "grep '<parameter=([^>]+)>(.*)</parameter>' x",
        "see </function> and </tool_call>.",
        "<function=add>\n<parameter=a>\n1\n</parameter>\n</function>",
    ] {
        let reply = read(Dialect::QwenCoder, &writing(content));
        assert_eq!(calls(&reply), json!([["file.write", {"path": "a.md", "content": content}]]));
    }
}

#[test]
fn a_missing_end_tag_ends_the_value_at_the_next_parameter() {
    let reply = read(
        Dialect::QwenCoder,
        "<tool_call>\n<function=add>\n<parameter=a>\n1\n<parameter=b>\n2\n</function>\n</tool_call>",
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1, "b": 2}]]));
    assert_eq!(problems(&reply), [ProblemKind::MissingEnd, ProblemKind::MissingEnd]);
}

#[test]
fn a_value_that_is_cut_off_is_set_aside() {
    let reply = read(Dialect::QwenCoder, "<tool_call><function=add><parameter=a>1");
    assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1));
}

#[test]
fn a_tag_without_its_end_is_skipped_and_the_next_parameter_kept() {
    let reply = read(
        Dialect::QwenCoder,
        "<tool_call>\n<function=add>\n<parameter=a\n<parameter=b>2</parameter>\n</function>\n</tool_call>",
    );
    assert_eq!(calls(&reply), json!([["add", {"b": 2}]]));
    assert_eq!(problems(&reply), [ProblemKind::IgnoredText]);
}

#[test]
fn the_wrapper_may_be_missing_wholly_or_at_its_start() {
    let bare = "count\n<function=add><parameter=a>1</parameter></function>";
    let reply = read(Dialect::QwenCoder, bare);
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(reply.text(), "count\n");
    let reply = read(Dialect::QwenCoder, &format!("{bare}\n</tool_call>"));
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::MissingStart]);
}

#[test]
fn a_doubled_end_tag_is_noted_and_left_out() {
    let reply =
        read(Dialect::QwenCoder, "<function=add><parameter=a>1</parameter></parameter></function>");
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::IgnoredText]);
}

#[test]
fn a_call_without_parameters_is_passed_on() {
    let reply = read(Dialect::QwenCoder, "<tool_call><function=add></function></tool_call>");
    assert_eq!(calls(&reply), json!([["add", {}]]));
}

#[test]
fn orphan_closers_are_text() {
    let text = "as </parameter></function> says";
    assert_eq!(read(Dialect::QwenCoder, text).text(), text);
}

#[test]
fn a_function_that_is_named_by_a_parameter_tag_is_recovered() {
    let reply = read(
        Dialect::QwenCoder,
        "<parameter=add>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>",
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert!(problems(&reply).contains(&ProblemKind::MissingStart));
    let text = "the tag <parameter=add> alone";
    assert_eq!(read(Dialect::QwenCoder, text).text(), text);
}
