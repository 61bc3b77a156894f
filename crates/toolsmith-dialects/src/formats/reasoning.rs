//! What models think aloud, in all dialects of raw text and in the answers of servers.

use serde_json::json;

use super::samples::{calls, events, problems, read, read_answer, tools};
use crate::{
    CallState, Dialect, Parser, ProblemKind, Reply, Settings, ShownCall, Thoughts, parse,
    render_calls,
};

/// The dialects of raw text whose reasoning stands between tags.
const RAW: &[Dialect] = &[
    Dialect::Auto,
    Dialect::Xml,
    Dialect::Hermes,
    Dialect::QwenCoder,
    Dialect::Glm,
    Dialect::Kimi,
    Dialect::DeepSeekV3,
    Dialect::DeepSeekV31,
    Dialect::Mistral,
    Dialect::MistralCompact,
    Dialect::LlamaJson,
    Dialect::LlamaPython,
];

fn a_call(dialect: Dialect) -> String {
    let arguments = json!({"a": 1});
    render_calls(dialect, &[ShownCall { id: None, name: "add", arguments: &arguments }], &tools())
}

/// Reads with a setting, whole and in small pieces.
fn read_with(thoughts: Thoughts, dialect: Dialect, text: &str) -> Reply {
    let settings = Settings { thoughts, ..Settings::default() };
    let whole = parse(dialect, text, &tools(), &settings);
    let mut parser = Parser::new(dialect, tools(), settings);
    let mut reply = Reply::default();
    for c in text.chars() {
        parser.push_with(c.encode_utf8(&mut [0; 4]), &mut |event| reply.add(event));
    }
    parser.finish_with(&mut |event| reply.add(event));
    assert_eq!(reply, whole, "{dialect} {text}");
    whole
}

#[test]
fn calls_inside_reasoning_are_no_calls_in_any_dialect() {
    for &dialect in RAW {
        let call = a_call(dialect);
        for (open, close) in [("<think>", "</think>"), ("<thinking>", "</thinking>")] {
            let reply = read(dialect, &format!("{open}I write {call} and so{close}\nNow.\n{call}"));
            assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect}");
            assert_eq!(reply.reasoning(), format!("I write {call} and so"), "{dialect}");
            assert_eq!(reply.text().trim(), "Now.", "{dialect}");
            assert_eq!(problems(&reply), [ProblemKind::ThoughtCall], "{dialect}");
        }
    }
}

#[test]
fn reasoning_without_an_end_holds_no_call() {
    for &dialect in RAW {
        let call = a_call(dialect);
        let reply = read(dialect, &format!("<think>{call}"));
        assert_eq!(reply.calls, [], "{dialect}");
        assert_eq!((reply.reasoning(), reply.text()), (call, String::new()), "{dialect}");
        assert_eq!(problems(&reply), [ProblemKind::ThoughtCall, ProblemKind::MissingEnd]);
    }
}

#[test]
fn reasoning_that_the_prompt_opened_is_known_by_its_end_tag() {
    for &dialect in RAW {
        let call = a_call(dialect);
        let reply = read(dialect, &format!("Let me see.\n</think>\n\n{call}"));
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect}");
        assert_eq!(reply.reasoning(), "Let me see.\n", "{dialect}");
        assert_eq!(reply.text().trim(), "", "{dialect}");
        assert_eq!(problems(&reply), [ProblemKind::MissingStart], "{dialect}");
    }
}

#[test]
fn calls_in_reasoning_that_the_prompt_opened_are_set_aside() {
    for &dialect in RAW {
        let call = a_call(dialect);
        let reply = read(dialect, &format!("I write {call} or not</think>\n\n{call}"));
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect}");
        let states: Vec<_> = reply.set_aside.iter().map(|call| call.state).collect();
        assert_eq!(states, [CallState::Thought], "{dialect}");
        assert!(reply.set_aside[0].range.end < reply.calls[0].range.start, "{dialect}");
        assert_eq!(reply.text().trim(), "", "{dialect}");
    }
    assert_eq!(json!(CallState::Thought), "thought");
}

#[test]
fn a_setting_says_that_the_prompt_opened_the_reasoning() {
    for &dialect in RAW {
        let call = a_call(dialect);
        let text = format!("I write {call} and so</think>{call}");
        let reply = read_with(Thoughts::Begun, dialect, &text);
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect}");
        assert_eq!(reply.reasoning(), format!("I write {call} and so"), "{dialect}");
    }
}

#[test]
fn a_setting_makes_reasoning_text_and_reads_calls_in_it() {
    for &dialect in RAW {
        let call = a_call(dialect);
        let reply = read_with(Thoughts::Text, dialect, &format!("<think>\n{call}\n</think>"));
        assert_eq!(calls(&reply), json!([["add", {"a": 1}]]), "{dialect}");
        assert_eq!(reply.reasoning(), "", "{dialect}");
        assert!(reply.text().starts_with("<think>\n"), "{dialect}");
    }
}

#[test]
fn tags_of_reasoning_in_code_are_text() {
    for text in ["the `<think>` tag", "```\n<think>\n```\nso", "`a <think>` b", "a < b <thin> c"] {
        let reply = read(Dialect::Xml, text);
        assert_eq!((reply.text(), reply.reasoning()), (text.to_owned(), String::new()));
    }
}

#[test]
fn a_second_end_tag_stays_in_the_text() {
    let reply = read(Dialect::Hermes, "<think>a</think> b</think> c");
    assert_eq!((reply.reasoning(), reply.text()), ("a".into(), " b</think> c".into()));
    assert_eq!(problems(&reply), [ProblemKind::StrayTag]);
}

#[test]
fn mistral_has_tokens_of_its_own() {
    let reply = read(Dialect::MistralCompact, "[THINK]Hm [TOOL_CALLS]x[/THINK]Now.");
    assert_eq!((reply.reasoning(), reply.text()), ("Hm [TOOL_CALLS]x".into(), "Now.".into()));
}

#[test]
fn servers_tell_reasoning_from_text() {
    let chat = json!({"object": "chat.completion", "choices": [{"message":
        {"role": "assistant", "reasoning_content": "Hm.", "content": "Yes."}}]});
    let chunks = [
        json!({"choices": [{"index": 0, "delta": {"reasoning": "Hm."}}]}),
        json!({"choices": [{"index": 0, "delta": {"content": "Yes."}}]}),
    ];
    let responses = json!({"object": "response", "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}]});
    let deltas = [
        json!({"type": "response.reasoning_summary_text.delta", "delta": "Hm."}),
        json!({"type": "response.output_text.delta", "delta": "Yes."}),
    ];
    let message = json!({"type": "message", "content": [
        {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]});
    let blocks = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Yes."}}),
    ];
    let gemini = json!({"candidates": [{"content": {"parts": [
        {"thought": true, "text": "Hm."}, {"text": "Yes."}]}}]});
    for (dialect, text) in [
        (Dialect::OpenAiChat, chat.to_string()),
        (Dialect::OpenAiChat, events(&chunks)),
        (Dialect::OpenAiResponses, responses.to_string()),
        (Dialect::OpenAiResponses, events(&deltas)),
        (Dialect::Anthropic, message.to_string()),
        (Dialect::Anthropic, events(&blocks)),
        (Dialect::Gemini, gemini.to_string()),
    ] {
        for dialect in [dialect, Dialect::Auto] {
            let reply = read_answer(dialect, &text);
            let told = (reply.reasoning(), reply.text());
            assert_eq!(told, ("Hm.".into(), "Yes.".into()), "{dialect} {text}");
        }
        let reply = read_with(Thoughts::Text, dialect, &text);
        assert_eq!(reply.text(), "Hm.Yes.", "{dialect} {text}");
    }
}
