//! Samples of the dialect of GLM.

use serde_json::json;

use super::super::samples::{calls, problems, read};
use crate::{Dialect, ProblemKind};

#[test]
fn tags_that_a_value_only_mentions_are_its_text() {
    for value in ["<arg_key>a</arg_key>", "1<arg_key>"] {
        let text = format!(
            "<tool_call>file.write\n<arg_key>path</arg_key>\n<arg_value>{value}</arg_value>\n<arg_key>content</arg_key>\n<arg_value>x</arg_value>\n</tool_call>"
        );
        let reply = read(Dialect::Glm, &text);
        assert_eq!(calls(&reply), json!([["file.write", {"path": value, "content": "x"}]]));
    }
}

#[test]
fn both_spellings_are_read() {
    for text in [
        "Hm.<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
        "Hm.<tool_call>add<arg_key>a</arg_key><arg_value>1</arg_value></tool_call>",
    ] {
        for dialect in [Dialect::Glm, Dialect::Auto] {
            let reply = read(dialect, text);
            assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect} {text}");
            assert_eq!(reply.text(), "Hm.");
        }
    }
}

#[test]
fn values_are_kept_to_the_byte() {
    let content = "  <arg_value> & </arg_value>!\n";
    let text = format!(
        "<tool_call>file.write\n<arg_key>content</arg_key>\n<arg_value>{content}</arg_value>\n</tool_call>"
    );
    assert_eq!(calls(&read(Dialect::Glm, &text)), json!([["file.write", {"content": content}]]));
}

#[test]
fn missing_end_tags_are_noted() {
    for text in [
        "<tool_call>add<arg_key>a</arg_key><arg_value>1<arg_key>b</arg_key><arg_value>2</arg_value></tool_call>",
        "<tool_call>add<arg_key>a<arg_value>1</arg_value><arg_key>b</arg_key><arg_value>2</arg_value></tool_call>",
        "<tool_call>add<arg_key>a</arg_key><arg_value>1</arg_value><arg_key>b</arg_key><arg_value>2</tool_call><tool_call>x",
    ] {
        let reply = read(Dialect::Glm, text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1, "b": 2}]]), "{text}");
        assert!(problems(&reply).contains(&ProblemKind::MissingEnd), "{text}");
    }
}

#[test]
fn a_value_without_its_end_at_the_end_of_the_text_is_set_aside() {
    let reply = read(Dialect::Glm, "<tool_call>add<arg_key>a</arg_key><arg_value>1</tool_call>");
    assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1));
}

#[test]
fn what_is_no_name_behind_the_tag_is_text() {
    for text in ["<tool_call>like this</tool_call>", "<tool_call>\n", "<tool_call>add"] {
        let reply = read(Dialect::Glm, text);
        assert!(reply.calls.is_empty(), "{text}");
        assert_eq!(reply.text(), text);
    }
}
