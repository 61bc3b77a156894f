//! Samples of the dialect of `OpenAI` chat completions.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::samples::{calls, events, problems, read_answer, specs, tools};
use crate::{
    Dialect, Event, Parser, ProblemKind, Provenance, RenderSettings, Settings, ShownCall,
    ShownResult, Tools, laws, parse, render_calls, render_results, render_tools,
};

fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "add", "arguments": arguments}})
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}

#[test]
fn whole_answers_messages_and_lists_are_read() {
    let list = json!([call("x", "{\"a\": 1}"), call("y", "")]);
    let message = json!({"role": "assistant", "content": "Hm.", "tool_calls": list});
    let answer = json!({
        "object": "chat.completion",
        "choices": [{"message": message, "finish_reason": "tool_calls"}],
    });
    for text in [answer.to_string(), message.to_string(), list.to_string()] {
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {}]]), "{text}");
        assert_eq!(reply.calls[0].id.as_deref(), Some("x"));
        assert!(reply.problems.is_empty(), "{:?}", reply.problems);
    }
    assert_eq!(read_answer(Dialect::OpenAiChat, &answer.to_string()).text(), "Hm.");
    assert_eq!(read_answer(Dialect::Auto, &answer.to_string()).calls.len(), 2);
}

#[test]
fn streamed_chunks_are_put_together() {
    let first = json!({"index": 0, "id": "x", "function": {"name": "add", "arguments": ""}});
    let second = json!({"index": 1, "id": "y", "function": {"name": "add", "arguments": "{\"a\""}});
    let more = |index: u64, text: &str| json!({"tool_calls": [{"index": index, "function": {"arguments": text}}]});
    let text = events(&[
        chunk(&json!({"role": "assistant", "content": "H"}), None),
        chunk(&json!({"content": "m."}), None),
        chunk(&json!({"tool_calls": [first]}), None),
        chunk(&more(0, "{\"a\":"), None),
        // The second call begins before the first is over.
        chunk(&json!({"tool_calls": [second]}), None),
        chunk(&more(0, " 1}"), None),
        chunk(&more(1, ": 2}"), None),
        chunk(&json!({}), Some("tool_calls")),
    ]) + "data: [DONE]\n\n";
    let reply = read_answer(Dialect::OpenAiChat, &text);
    assert_eq!(calls(&reply), json!([["add", {"a": 1}], ["add", {"a": 2}]]));
    assert_eq!(reply.text(), "Hm.");
    assert!(reply.problems.is_empty(), "{:?}", reply.problems);
}

#[test]
fn what_was_cut_off_by_the_length_is_set_aside_and_not_repaired() {
    let message = json!({"tool_calls": [call("x", "{\"a\": 1")]});
    let cut = json!({"choices": [{"message": message, "finish_reason": "length"}]}).to_string();
    let first = json!({"index": 0, "function": {"name": "add", "arguments": "{\"a\": 1"}});
    let broken = events(&[chunk(&json!({"tool_calls": [first]}), None)]);
    for text in [cut, broken] {
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1), "{text}");
    }
}

#[test]
fn an_answer_that_is_no_json_is_text_with_a_problem() {
    let reply = read_answer(Dialect::OpenAiChat, "502 Bad Gateway\n");
    assert_eq!(reply.text(), "502 Bad Gateway");
    assert_eq!(reply.problems.len(), 1);
}

#[test]
fn definitions_keep_to_the_limits_and_say_what_was_changed() {
    let odd = ToolSpec::new("odd")
        .unwrap()
        .with_description("x".repeat(2_000))
        .with_input_schema(&json!({"anyOf": [{"properties": {"l": {"type": "array"}}}]}));
    let mut specs = specs();
    specs.push(odd);
    let shown = render_tools(
        Dialect::OpenAiChat,
        &specs.iter().collect::<Vec<_>>(),
        &RenderSettings::default(),
    );
    assert_eq!(shown.content[0]["function"]["name"], "add");
    let name = shown.content[1]["function"]["name"].as_str().unwrap();
    assert!(name.starts_with("file_write_") && shown.original(name) == "file.write", "{name}");
    let odd = &shown.content[2]["function"];
    assert_eq!(odd["description"].as_str().unwrap().len(), 1_024);
    assert_eq!(
        odd["parameters"],
        json!({"properties": {"l": {"type": "array", "items": {}}}, "type": "object"})
    );
    let changed: Vec<_> = shown.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(changed, ["", "", "/anyOf", "/properties/l"]);
}

#[test]
fn calls_and_results_are_messages() {
    let arguments = json!({"path": "a"});
    let shown = [ShownCall { id: Some("x"), name: "file.write", arguments: &arguments }];
    let reply = read_answer(
        Dialect::OpenAiChat,
        &render_calls(Dialect::OpenAiChat, &shown, &Tools::none()),
    );
    assert!(reply.calls[0].name.starts_with("file_write_"));
    let results = [ShownResult {
        id: Some("x"),
        name: "add",
        result: Err("no such file"),
        provenance: Provenance::Own,
    }];
    let text = render_results(Dialect::OpenAiChat, &results);
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        json!([{"role": "tool", "tool_call_id": "x", "content": "Error: no such file"}])
    );
}

fn stream(deltas: &[Value]) -> String {
    let chunks: Vec<_> = deltas.iter().map(|delta| chunk(delta, None)).collect();
    events(&chunks) + &events(&[chunk(&json!({}), Some("tool_calls"))])
}

#[test]
fn calls_of_one_index_or_none_are_several() {
    let first = |index: Option<u64>| json!({"tool_calls": [{"index": index, "id": "a", "function": {"name": "add", "arguments": "{}"}}]});
    let second = |index: Option<u64>, arguments: &str| json!({"tool_calls": [{"index": index, "id": "b", "function": {"name": "pay", "arguments": arguments}}]});
    let more = |index: Option<u64>| json!({"tool_calls": [{"index": index, "function": {"arguments": " 2}"}}]});
    for index in [None, Some(0)] {
        let text = stream(&[first(index), second(index, "")]);
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!(calls(&reply), json!([["add", {}], ["pay", {}]]), "{text}");
        assert_eq!(reply.calls[1].id.as_deref(), Some("b"));
        let text = stream(&[first(index), second(index, "{\"b\":"), more(index)]);
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!(calls(&reply), json!([["add", {}], ["pay", {"b": 2}]]), "{text}");
        assert!(reply.problems.is_empty(), "{:?}", reply.problems);
    }
}

#[test]
fn a_name_or_an_identifier_that_is_said_again_begins_no_call() {
    let piece = |id: &str, name: &str, arguments: &str| json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]});
    for (ids, name) in [(["x", "x", "x"], "add"), (["x", "", ""], ""), (["x", "y", "z"], "")] {
        let text = stream(&[
            piece(ids[0], "add", ""),
            piece(ids[1], name, "{\"a\": 1"),
            piece(ids[2], name, "}"),
        ]);
        let reply = read_answer(Dialect::OpenAiChat, &text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{text}");
        assert_eq!(reply.calls[0].id.as_deref(), Some("x"));
    }
}

#[test]
fn calls_in_the_older_form_are_read_from_a_stream() {
    let text = stream(&[
        json!({"function_call": {"name": "add", "arguments": ""}}),
        json!({"function_call": {"arguments": "{\"a\": "}, "tool_calls": null}),
        json!({"function_call": {"arguments": "1}"}}),
    ]);
    let reply = read_answer(Dialect::OpenAiChat, &text);
    assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
    let message = json!({"tool_calls": [call("x", "{}")], "function_call": null});
    assert!(read_answer(Dialect::OpenAiChat, &message.to_string()).problems.is_empty());
}

#[test]
fn only_known_words_say_that_an_answer_is_whole() {
    let answer = |arguments: &str, reason: Option<&str>| {
        json!({"choices": [{"message": {"tool_calls": [call("x", arguments)]}, "finish_reason": reason}]}).to_string()
    };
    for reason in [Some("model_length"), Some("error"), Some("max_tokens"), Some("length"), None] {
        let reply = read_answer(Dialect::OpenAiChat, &answer("{\"a\": \"x\"", reason));
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1), "{reason:?}");
        let reply = read_answer(Dialect::OpenAiChat, &answer("{\"a\": \"x\"}", reason));
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (1, 0), "{reason:?}");
    }
    for reason in ["stop", "tool_calls", "function_call"] {
        let reply = read_answer(Dialect::OpenAiChat, &answer("{\"a\": \"x\"", Some(reason)));
        assert_eq!(calls(&reply), json!([["add", {"a": "x"}]]), "{reason}");
        assert_eq!(problems(&reply), [ProblemKind::Repaired], "{reason}");
    }
}

#[test]
fn no_bracket_is_added_behind_a_number_that_may_go_on() {
    for arguments in ["{\"a\": 12", "{\"a\": -", "{\"a\": [1.5, 2", "{\"a\": 1e"] {
        let message = json!({"tool_calls": [call("x", arguments)]});
        let answer = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
        let reply = read_answer(Dialect::OpenAiChat, &answer.to_string());
        assert_eq!((reply.calls.len(), reply.set_aside.len()), (0, 1), "{arguments}");
        assert_eq!(problems(&reply), [ProblemKind::UnfinishedCall], "{arguments}");
    }
}

#[test]
fn arguments_that_json_cannot_hold_cost_no_more_than_their_call() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for value in ["1e400", &deep] {
        let text = format!(
            r#"{{"content": "Hm.", "tool_calls": [
                {{"id": "c", "function": {{"name": "add", "arguments": {{"a": {value}}}}}}},
                {{"id": "d", "function": {{"name": "add", "arguments": {{"a": 1}}}}}}]}}"#
        );
        let reply = parse(Dialect::OpenAiChat, &text, &tools(), &Settings::default());
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]));
        assert_eq!(reply.set_aside[0].id.as_deref(), Some("c"));
        assert_eq!(reply.set_aside[0].arguments, json!(format!("{{\"a\": {value}}}")));
        assert_eq!(problems(&reply), [ProblemKind::UnreadableArguments]);
        assert_eq!(reply.text(), "Hm.");
        assert_eq!((reply.set_aside[0].index, reply.calls[0].index), (0, 1));
    }
}

#[test]
fn an_object_that_is_no_json_is_text() {
    let text = "{\"choices\": 1e400}\n";
    let reply = read_answer(Dialect::OpenAiChat, text);
    assert_eq!(
        (reply.text().as_str(), problems(&reply)),
        (text.trim(), vec![ProblemKind::MalformedInput])
    );
}

#[test]
fn any_number_of_calls_without_arguments_is_read() {
    let list = vec![json!({"name": "add", "arguments": ""}); 300];
    let list: Vec<_> = list.into_iter().map(|function| json!({"function": function})).collect();
    let text = json!({ "tool_calls": list }).to_string();
    let reply = parse(Dialect::OpenAiChat, &text, &tools(), &Settings::default());
    assert_eq!((reply.calls.len(), reply.problems.len()), (300, 0));
}

#[test]
fn calls_of_custom_tools_have_their_name_and_are_set_aside() {
    let custom =
        json!({"id": "x", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}});
    let reply = read_answer(Dialect::OpenAiChat, &json!({"tool_calls": [custom]}).to_string());
    assert_eq!((reply.calls.len(), reply.set_aside[0].name.as_str()), (0, "sql"));
    assert_eq!(reply.set_aside[0].id.as_deref(), Some("x"));
    assert_eq!(reply.set_aside[0].arguments, "SELECT 1");
}

#[test]
fn a_line_without_an_end_is_passed_on_as_it_comes() {
    let mut parser = Parser::new(Dialect::OpenAiChat, tools(), Settings::default());
    let mut told = 0;
    for _ in 0..100 {
        for event in parser.push(&"é".repeat(1_000)) {
            told += if let Event::Text { text, .. } = event { text.len() } else { 0 };
        }
    }
    assert_eq!(told, 200_000);
    for text in ["é".repeat(5_000), "[".repeat(10_000), format!(": {}", "x".repeat(9_000))] {
        let reply = parse(Dialect::OpenAiChat, &text, &tools(), &Settings::default());
        let is_text = text.starts_with('é');
        assert_eq!(reply.text(), if is_text { text.as_str() } else { "" });
        assert_eq!(reply.problems.len(), usize::from(is_text));
        laws::any_split_gives_the_same(Dialect::OpenAiChat, &text, &tools());
    }
}

#[test]
fn results_without_an_identifier_have_that_of_their_call() {
    let (arguments, output) = (json!({}), json!(1));
    let shown = [ShownCall { id: None, name: "add", arguments: &arguments }; 2];
    let results =
        [ShownResult { id: None, name: "add", result: Ok(&output), provenance: Provenance::Own };
            2];
    for dialect in
        [Dialect::OpenAiChat, Dialect::OpenAiResponses, Dialect::Anthropic, Dialect::Mistral]
    {
        let written = render_calls(dialect, &shown, &Tools::none());
        let answers = render_results(dialect, &results);
        for call in parse(dialect, &written, &tools(), &Settings::default()).calls {
            let id = call.id.unwrap();
            assert_eq!(answers.matches(&format!("\"{id}\"")).count(), 1, "{dialect}: {answers}");
        }
    }
}
