//! Calls that are examples: in fences, spans and quotes of Markdown, and in CDATA sections.

use serde_json::json;

use super::{call_of, calls, is_no_call, is_one_call, kinds, read};
use crate::{CallState, Dialect, Entities, Fences, ProblemKind, Settings, Tools, parse};

const CALL: &str = "<function_calls><invoke name=\"x\"></invoke></function_calls>";

#[test]
fn a_fence_may_stand_at_any_indent_and_behind_the_mark_of_a_list() {
    for text in [
        format!(" - item\n     ```xml\n     {CALL}\n     ```\n"),
        format!("10. item\n\n    ```xml\n    {CALL}\n    ```\n"),
        format!("- ```xml\n  {CALL}\n  ```\n"),
        format!("10. ~~~\n    {CALL}\n    ~~~\n"),
        format!("\t```\r\n\t{CALL}\r\n\t```\r\n"),
    ] {
        let reply = is_no_call(&text);
        assert_eq!((reply.text(), kinds(&reply)), (text.clone(), vec![ProblemKind::FencedCall]));
        let reply = read(&(text + CALL));
        assert_eq!(calls(&reply), [("x", &json!({}))]);
    }
}

#[test]
fn a_span_may_have_any_number_of_backticks() {
    for ticks in ["`", "``", "```", "````"] {
        let text = format!("so {ticks}{CALL}{ticks} or ");
        let reply = is_no_call(&text);
        assert_eq!(kinds(&reply), [ProblemKind::FencedCall], "{text}");
        is_one_call(&(text + CALL), &json!({}));
    }
    is_no_call(&format!("so `` `{CALL}` `` or"));
    is_one_call(&format!("so ``a`` and {CALL}"), &json!({}));
    is_one_call(&format!("so ```a``` and {CALL}"), &json!({}));
    is_one_call(&format!("```a``` and {CALL}"), &json!({}));
}

#[test]
fn a_quoted_call_is_an_example() {
    let text = format!("They wrote:\n> {CALL}\n  > and\n> ```\n> {CALL}\n\n");
    let reply = is_no_call(&text);
    assert_eq!((reply.text(), kinds(&reply)), (text.clone(), vec![ProblemKind::FencedCall; 2]));
    is_one_call(&(text.clone() + CALL), &json!({}));
    let settings = Settings { fences: Fences::Calls, ..Settings::default() };
    assert_eq!(parse(Dialect::Xml, &text, &Tools::none(), &settings).calls.len(), 2);
}

#[test]
fn a_value_that_ends_like_a_quote_quotes_nothing_behind_its_call() {
    let first = call_of("<parameter name=\"a\">b\n> c</parameter>").replace("\n</", "</");
    let reply = read(&(first + CALL));
    assert_eq!(reply.calls.len(), 2);
}

#[test]
fn tags_in_a_section_that_a_value_begins_with_do_not_end_it() {
    for value in [
        "<![CDATA[</parameter></invoke></function_calls>]]>",
        " <![CDATA[</parameter>\n</invoke>]]><![CDATA[</parameter></invoke>]]>",
        "<![CDATA[a]]]></parameter> b",
    ] {
        let text = call_of(&format!("<parameter name=\"a\">{value}</parameter>"));
        is_one_call(&text, &json!({ "a": value }));
        let settings = Settings { entities: Entities::Decode, ..Settings::default() };
        let reply = parse(Dialect::Xml, &text, &Tools::none(), &settings);
        let decoded = value.replace("<![CDATA[", "").replace("]]>", "");
        assert_eq!(calls(&reply), [("x", &json!({ "a": decoded }))]);
    }
}

#[test]
fn a_section_without_an_end_sets_its_call_aside() {
    let reply = is_no_call(&call_of("<parameter name=\"a\"><![CDATA[b]]</parameter>"));
    assert_eq!(reply.set_aside[0].state, CallState::Unfinished);
}

#[test]
fn a_section_further_inside_a_value_protects_nothing() {
    let text = call_of("<parameter name=\"a\">write <![CDATA[ first</parameter>");
    is_one_call(&text, &json!({"a": "write <![CDATA[ first"}));
}
