//! The malformed calls that real models produced; the policy is in `docs/reference/malformed-calls.md`.

use serde_json::json;

use super::*;
use crate::{CallState, Fences};

#[test]
fn shape_1_an_end_tag_inside_a_value_is_text() {
    let text = call_of("<parameter name=\"code\">a = \"</parameter>\"</parameter>");
    let reply = is_one_call(&text, &json!({"code": "a = \"</parameter>\""}));
    assert_eq!(kinds(&reply), [ProblemKind::MarkupInValue]);
    let text = call_of("<parameter name=\"pattern\"></parameter></parameter>");
    is_one_call(&text, &json!({"pattern": "</parameter>"}));
}

#[test]
fn shape_2_a_whole_parameter_inside_a_value_is_text() {
    let value = "grep '<parameter name=\"k\">v</parameter>' file";
    let text = call_of(&format!("<parameter name=\"command\">{value}</parameter>"));
    is_one_call(&text, &json!({ "command": value }));
}

#[test]
fn shape_2_a_whole_block_of_calls_inside_a_value_is_text() {
    let example = call_of("<parameter name=\"a\">1</parameter>");
    let value = format!("Example:\n{example}\nand so on");
    let text = call_of(&format!("<parameter name=\"content\">{value}</parameter>"));
    is_one_call(&text, &json!({ "content": value }));
}

#[test]
fn shape_3_the_end_of_a_call_inside_a_value_is_text() {
    let value = "a call ends with </invoke> as you know";
    let text = call_of(&format!("<parameter name=\"content\">{value}</parameter>"));
    is_one_call(&text, &json!({ "content": value }));
}

#[test]
fn shape_3_the_beginning_of_a_call_inside_a_value_is_text() {
    let value = "a call begins with <invoke name=\"y\"> as you know";
    let text = call_of(&format!("<parameter name=\"content\">{value}</parameter>"));
    let reply = is_one_call(&text, &json!({ "content": value }));
    assert_eq!(kinds(&reply), [ProblemKind::MarkupInValue]);
}

#[test]
fn shape_4_a_value_without_an_end_tag_ends_at_the_next_parameter() {
    let text = call_of("<parameter name=\"a\">1<parameter name=\"b\">2</parameter>");
    let reply = is_one_call(&text, &json!({"a": "1", "b": "2"}));
    assert_eq!(kinds(&reply), [ProblemKind::MissingEnd]);
    let text = call_of("<parameter name=\"a\">1</parameter><parameter name=\"b\">2");
    let reply = is_one_call(&text, &json!({"a": "1", "b": "2\n"}));
    assert_eq!(kinds(&reply), [ProblemKind::MissingEnd]);
}

#[test]
fn shape_5_a_call_that_the_text_cuts_off_is_set_aside() {
    for text in [
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1",
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter>",
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter></invok",
        "<function_calls><invoke name=\"x\">",
        "<invoke name=\"x\"><parameter name=\"a\">1</parameter>",
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</invoke>",
        "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</function_calls>",
    ] {
        let reply = is_no_call(text);
        assert_eq!(reply.set_aside.len(), 1, "{text}");
        assert_eq!(reply.set_aside[0].state, CallState::Unfinished);
        assert!(kinds(&reply).contains(&ProblemKind::UnfinishedCall));
    }
}

#[test]
fn shape_6_a_parameter_whose_tag_is_not_closed_is_skipped_and_the_good_one_kept() {
    let text =
        call_of("<parameter name=\"bad\"\n1</parameter>\n<parameter name=\"b\">2</parameter>");
    let reply = is_one_call(&text, &json!({"b": "2"}));
    assert!(kinds(&reply).contains(&ProblemKind::IgnoredText), "{:?}", reply.problems);
}

#[test]
fn shape_7_a_call_without_the_opening_of_its_block_is_recovered() {
    let text = "<invoke name=\"x\"><parameter name=\"a\">1</parameter></invoke>\n</function_calls>";
    let reply = is_one_call(text, &json!({"a": "1"}));
    assert_eq!(kinds(&reply), [ProblemKind::MissingStart]);
    assert_eq!(reply.text(), "\n");
}

#[test]
fn shape_8_a_stray_line_before_a_call_is_text() {
    let text = "count\n<invoke name=\"x\">\n<parameter name=\"a\">1</parameter>\n</invoke>";
    let reply = is_one_call(text, &json!({"a": "1"}));
    assert_eq!(reply.text(), "count\n");
}

#[test]
fn shape_9_end_tags_alone_are_text() {
    let text = "That is it.</parameter></invoke> Done.";
    let reply = is_no_call(text);
    assert_eq!(reply.text(), text);
    assert_eq!(kinds(&reply), [ProblemKind::StrayTag, ProblemKind::StrayTag]);
}

#[test]
fn shape_10_a_tool_named_by_a_parameter_is_no_call_in_this_dialect() {
    is_no_call("<parameter name=\"bash\">\n<parameter name=\"command\">ls</parameter>\n</invoke>");
}

#[test]
fn shape_11_an_end_tag_of_an_unknown_wrapper_changes_nothing() {
    let call = call_of("<parameter name=\"a\">1</parameter>");
    is_one_call(&format!("{call}\n</function_invocation>"), &json!({"a": "1"}));
    let inside = "<function_calls><invoke name=\"x\"><parameter name=\"a\">1</parameter></function_invocation></invoke></function_calls>";
    let reply = is_one_call(inside, &json!({"a": "1"}));
    assert_eq!(kinds(&reply), [ProblemKind::IgnoredText]);
}

#[test]
fn shape_12_a_call_in_a_code_fence_is_an_example() {
    let call = call_of("<parameter name=\"a\">1</parameter>");
    let text = format!("Like this:\n```xml\n{call}\n```\nClear?");
    let reply = is_no_call(&text);
    assert_eq!(reply.text(), text);
    assert_eq!(kinds(&reply), [ProblemKind::FencedCall]);
}

#[test]
fn shape_13_a_setting_takes_a_call_in_a_code_fence_for_a_call() {
    let call = call_of("<parameter name=\"a\">1</parameter>");
    let settings = Settings { fences: Fences::Calls, ..Settings::default() };
    let text = format!("```xml\n{call}\n```");
    assert_eq!(parse(Dialect::Xml, &text, &Tools::none(), &settings).calls.len(), 1);
}

#[test]
fn shape_14_the_same_call_twice_is_two_calls() {
    let call = call_of("<parameter name=\"a\">1</parameter>");
    assert_eq!(read(&format!("{call}\n{call}")).calls.len(), 2);
}

#[test]
fn shape_15_to_17_near_json_values_are_repaired_or_stay_text() {
    for (raw, value, kind) in [
        ("{\"a\": \"line\nbreak\"}", json!({"a": "line\nbreak"}), ProblemKind::Repaired),
        (
            "{\"a\": \"He said \"hi\" to me\"}",
            json!("{\"a\": \"He said \"hi\" to me\"}"),
            ProblemKind::UntypedValue,
        ),
        (r#"{"a": "C:\path"}"#, json!({"a": "C:\\path"}), ProblemKind::Repaired),
    ] {
        let text = call_of(&format!("<parameter name=\"map\">{raw}</parameter>"));
        let reply = read_with(&text, &tools());
        assert_eq!(reply.calls[0].arguments, json!({ "map": value }));
        assert_eq!(kinds(&reply), [kind]);
    }
}

#[test]
fn shape_18_python_literals_are_read_by_the_schema() {
    for (name, raw, value) in [
        ("list", "['a', True]", json!(["a", true])),
        ("map", "{'k': None}", json!({"k": null})),
        ("is_on", "True", json!(true)),
    ] {
        let text = call_of(&format!("<parameter name=\"{name}\">{raw}</parameter>"));
        assert_eq!(read_with(&text, &tools()).calls[0].arguments, json!({ name: value }));
    }
}

#[test]
fn shape_19_a_call_without_its_required_parameters_is_passed_on() {
    is_one_call("<function_calls><invoke name=\"x\"></invoke></function_calls>", &json!({}));
}

#[test]
fn shape_20_bare_json_is_text_in_this_dialect() {
    is_no_call("{\"name\": \"x\", \"arguments\": {}}");
}

#[test]
fn shape_21_an_angle_bracket_in_a_name_is_part_of_it() {
    is_one_call(&call_of("<parameter name=\"a>b\">1</parameter>"), &json!({"a>b": "1"}));
}

#[test]
fn shape_22_further_attributes_are_accepted() {
    let text = "<function_calls><invoke name=\"x\" call_id=\"9\"><parameter type=\"text\" name=\"a\">1</parameter></invoke></function_calls>";
    let reply = is_one_call(text, &json!({"a": "1"}));
    assert_eq!(reply.calls[0].id.as_deref(), Some("9"));
}

#[test]
fn shape_23_mixed_prefixes_are_accepted_and_noted() {
    let text = "<ns:function_calls><ns:invoke name=\"x\"><parameter name=\"a\">1</parameter></ns:invoke></ns:function_calls>";
    let reply = is_one_call(text, &json!({"a": "1"}));
    assert_eq!(kinds(&reply), [ProblemKind::MixedPrefix]);
}

#[test]
fn shape_24_nothing_behind_a_result_that_the_model_made_up_is_a_call() {
    let call = call_of("<parameter name=\"a\">1</parameter>");
    let fake = "\n<function_results>\n<result>42</result>\n</function_results>\n";
    let reply = is_one_call(&format!("{call}{fake}{call}"), &json!({"a": "1"}));
    assert_eq!(kinds(&reply), [ProblemKind::InventedResult]);
    assert_eq!(reply.text(), format!("{fake}{call}"));
}

#[test]
fn text_between_parameters_is_left_out_and_noted() {
    let text =
        call_of("<parameter name=\"a\">1</parameter> so <parameter name=\"b\">2</parameter>");
    let reply = is_one_call(&text, &json!({"a": "1", "b": "2"}));
    assert_eq!(kinds(&reply), [ProblemKind::IgnoredText]);
}

#[test]
fn what_a_cut_off_tag_holds_ends_no_call() {
    let between = call_of("<parameter name=\"t<ns:invoke name='x'>\">1</parameter>");
    let within =
        call_of("<parameter name=\"a\"><parameter name=\"b</parameter></invoke>\">1</parameter>");
    for text in [between, within] {
        let cut = text.split_once(">\">1").unwrap().0.to_owned() + ">";
        let reply = is_no_call(&cut);
        assert_eq!(reply.set_aside.len(), 1, "{cut}");
        assert_eq!(reply.text(), "", "{cut}");
        read(&text);
    }
}
