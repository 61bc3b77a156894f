//! Samples of the Hermes dialect.

use serde_json::json;

use super::super::samples::{calls, problems, read, specs};
use crate::{
    Dialect, Event, Fences, Parser, ProblemKind, Provenance, RenderSettings, Settings, ShownResult,
    Tools, parse, render_results, render_tools,
};

#[test]
fn arguments_that_are_given_twice_are_noted_and_streamed_once() {
    let text =
        r#"<tool_call>{"name": "add", "arguments": {"a": 1}, "arguments": {"b": 2}}</tool_call>"#;
    let reply = read(Dialect::Hermes, text);
    assert_eq!(calls(&reply), json!([["add", {"b": 2}]]));
    assert_eq!(problems(&reply), [ProblemKind::RepeatedParameter]);
    for size in [1, 7, text.len()] {
        let mut parser = Parser::new(Dialect::Hermes, Tools::none(), Settings::default());
        let mut streamed = String::new();
        for piece in text.as_bytes().chunks(size) {
            parser.push_with(str::from_utf8(piece).unwrap(), &mut |event| {
                if let Event::Arguments { text, .. } = event {
                    streamed.push_str(&text);
                }
            });
        }
        assert_eq!(streamed, r#"{"a": 1}"#, "in pieces of {size}");
    }
}

#[test]
fn calls_are_read_with_the_text_around_them() {
    let reply = read(
        Dialect::Hermes,
        "Adding.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>\n\
         <tool_call>{\"arguments\": {\"a\": 2}, \"name\": \"add\"}</tool_call> Done.",
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]));
    assert_eq!(reply.text(), "Adding.\n\n Done.");
    assert!(reply.problems.is_empty(), "{:?}", reply.problems);
}

#[test]
fn end_markers_inside_strings_are_text() {
    let text = r#"<tool_call>{"name": "add", "arguments": {"a": "</tool_call>\"<tool_call>"}}</tool_call>"#;
    assert_eq!(
        calls(&read(Dialect::Hermes, text)),
        json!([["add", {"a": "</tool_call>\"<tool_call>"}]])
    );
}

#[test]
fn an_object_that_is_all_there_needs_no_end_tag() {
    let reply = read(Dialect::Hermes, r#"<tool_call>{"name": "add", "arguments": {"a": 1}}"#);
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::MissingEnd]);
}

#[test]
fn an_object_that_is_cut_off_is_set_aside() {
    let reply = read(Dialect::Hermes, r#"<tool_call>{"name": "add", "arguments": {"a": 1}"#);
    assert!(reply.calls.is_empty());
    assert_eq!(reply.set_aside.len(), 1);
    assert_eq!(problems(&reply), [ProblemKind::UnfinishedCall]);
}

#[test]
fn a_missing_bracket_before_the_end_tag_is_repaired() {
    let reply = read(
        Dialect::Hermes,
        "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}\n</tool_call>",
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::Repaired]);
}

#[test]
fn raw_line_breaks_and_bad_escapes_in_strings_are_repaired() {
    for (written, meant) in [("x\ny", "x\ny"), (r"C:\path \d+", r"C:\path \d+")] {
        let text = format!(
            "<tool_call>{{\"name\": \"file.write\", \"arguments\": {{\"path\": \"{written}\"}}}}</tool_call>"
        );
        let reply = read(Dialect::Hermes, &text);
        assert_eq!(calls(&reply), json!([["file.write", {"path": meant}]]));
        assert_eq!(problems(&reply), [ProblemKind::Repaired]);
    }
}

#[test]
fn unescaped_quotes_are_refused_and_the_next_call_is_read() {
    let reply = read(
        Dialect::Hermes,
        r#"<tool_call>{"name": "file.write", "arguments": {"path": "He said "hi" to me"}}</tool_call><tool_call>{"name": "add", "arguments": {}}</tool_call>"#,
    );
    assert_eq!(calls(&reply), json!([["add", {}]]));
    assert_eq!(reply.set_aside.len(), 1);
    assert!(problems(&reply).contains(&ProblemKind::UnreadableArguments));
}

#[test]
fn arguments_inside_a_string_are_unpacked() {
    let reply = read(
        Dialect::Hermes,
        r#"<tool_call>{"name": "add", "arguments": "{\"a\": 1}"}</tool_call>"#,
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(problems(&reply), [ProblemKind::Repaired]);
}

#[test]
fn what_is_no_object_between_the_tags_is_text() {
    for text in ["<tool_call>not json</tool_call>", "<tool_call>{\"x\": 1}</tool_call>", "<tool_ca"]
    {
        let reply = read(Dialect::Hermes, text);
        assert!(reply.calls.is_empty() && reply.set_aside.is_empty(), "{text}");
    }
    for text in [
        "<tool_call>not json</tool_call>",
        "<tool_call> {\"x\": 1} </tool_call> on",
        "<tool_call>{\"name\": ",
    ] {
        assert_eq!(read(Dialect::Hermes, text).text(), text);
    }
}

#[test]
fn a_fenced_call_is_text_unless_asked_for() {
    let text = "```\n<tool_call>{\"name\": \"add\", \"arguments\": {}}</tool_call>\n```\n";
    let reply = read(Dialect::Hermes, text);
    assert_eq!((reply.calls.len(), reply.text().as_str()), (0, text));
    assert_eq!(problems(&reply), [ProblemKind::FencedCall]);
    let settings = Settings { fences: Fences::Calls, ..Settings::default() };
    assert_eq!(parse(Dialect::Hermes, text, &Tools::none(), &settings).calls.len(), 1);
}

#[test]
fn several_objects_may_share_a_block_and_identifiers_are_kept() {
    let reply = read(
        Dialect::Hermes,
        r#"<tool_call>{"id": "x", "name": "add", "arguments": {}}, {"name": "add", "arguments": {}, "id": "y"}</tool_call>"#,
    );
    let ids: Vec<_> = reply.calls.iter().map(|call| call.id.as_deref()).collect();
    assert_eq!(ids, [Some("x"), Some("y")]);
}

#[test]
fn tools_and_results_are_written_as_the_template_does() {
    let specs = specs();
    let shown = render_tools(
        Dialect::Hermes,
        &specs.iter().collect::<Vec<_>>(),
        &RenderSettings::default(),
    );
    assert!(
        shown.text().contains("<tools>\n{\"type\": \"function\", \"function\": {\"name\": \"add\"")
    );
    assert!(shown.changes.is_empty());
    let output = json!({"sum": 3});
    let results =
        [ShownResult { id: None, name: "add", result: Ok(&output), provenance: Provenance::Own }];
    assert_eq!(
        render_results(Dialect::Hermes, &results),
        "<tool_response>\n{\"sum\":3}\n</tool_response>"
    );
}

#[test]
fn a_string_that_is_not_closed_does_not_swallow_the_next_call() {
    let reply = read(
        Dialect::Hermes,
        "<tool_call>\n{\"name\": \"file.write\", \"arguments\": {\"path\": \"x}}\n</tool_call>\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>",
    );
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    assert_eq!(reply.set_aside.len(), 1);
}

#[test]
fn a_key_that_is_there_twice_is_noted() {
    for arguments in [
        r#"{"a": 1, "a": 2}"#,
        r#"{"a": 1, "a": 2,}"#,
        r#"{"a": {"b": 1, "b": 2}}"#,
        r#""{\"a\": 1, \"a\": 2}""#,
    ] {
        let text =
            format!("<tool_call>{{\"name\": \"add\", \"arguments\": {arguments}}}</tool_call>");
        let reply = read(Dialect::Hermes, &text);
        assert_eq!(reply.calls.len(), 1, "{text}");
        let repeated =
            problems(&reply).into_iter().filter(|kind| *kind == ProblemKind::RepeatedParameter);
        assert_eq!(repeated.count(), 1, "{text}");
    }
}
