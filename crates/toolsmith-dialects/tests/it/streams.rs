//! Laws over the streams of servers, put together in ways that no server should.

use proptest::prelude::*;
use serde_json::{Value, json};
use toolsmith_dialects::{Dialect, Parser, Reply, Settings, Tools, parse};

/// More of some arguments; seldom a whole that can be read.
fn arguments() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "",
        " ",
        "{}",
        "{\"a\":",
        " 1",
        "2",
        "}",
        "\"x\"",
        "\"",
        ",",
        "null",
        "x y",
        "\"{}\"",
        "{\"a\": 1}",
        "[",
    ])
}

fn maybe(texts: &[&'static str]) -> impl Strategy<Value = Value> + use<> {
    let mut values: Vec<_> = texts.iter().map(|text| json!(text)).collect();
    values.extend([Value::Null, Value::Null, json!("")]);
    prop::sample::select(values)
}

fn index() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![Value::Null, json!(0), json!(0), json!(1)])
}

/// A chunk of a chat completion.
fn chunk() -> impl Strategy<Value = Value> {
    let reasons = maybe(&["stop", "length"]);
    let call = (index(), maybe(&["i", "j"]), maybe(&["add", "pay"]), arguments());
    (call, 0..8u8, reasons).prop_map(|((index, id, name, arguments), kind, reason)| {
        let function = json!({"name": name, "arguments": arguments});
        let call = json!({"index": index, "id": id, "function": function});
        match kind {
            0 => json!({"choices": [{"delta": {}, "finish_reason": reason}]}),
            1 => json!({"choices": [{"delta": {"function_call": function}}]}),
            2 => json!({"choices": [{"message": {"tool_calls": [call, call]}, "finish_reason": reason}]}),
            3 => json!({"choices": [{"delta": {"tool_calls": [call, call]}}]}),
            _ => json!({"choices": [{"delta": {"tool_calls": [call]}}]}),
        }
    })
}

/// An event of a response.
fn event() -> impl Strategy<Value = Value> {
    let call = (index(), maybe(&["i", "j"]), maybe(&["add", "pay"]), arguments());
    (call, 0..5u8, maybe(&["completed", "incomplete"])).prop_map(
        |((index, id, name, arguments), kind, status)| {
            let item = json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments, "status": status});
            let kind = match kind {
                0 => "response.output_item.added",
                1 => "response.output_item.done",
                2 => "response.function_call_arguments.done",
                _ => "response.function_call_arguments.delta",
            };
            json!({"type": kind, "output_index": index, "item": item, "delta": arguments, "arguments": arguments})
        },
    )
}

/// Reads a text in pieces of a number of bytes; all of it is ASCII.
fn in_pieces(dialect: Dialect, text: &str, size: usize) -> Reply {
    let mut parser = Parser::new(dialect, Tools::none(), Settings::default());
    let mut reply = Reply::default();
    for piece in text.as_bytes().chunks(size) {
        let piece = std::str::from_utf8(piece).unwrap();
        parser.push_with(piece, &mut |event| reply.add(event));
    }
    parser.finish_with(&mut |event| reply.add(event));
    reply
}

fn laws_hold(dialect: Dialect, documents: &[Value]) {
    let lines: Vec<_> = documents.iter().map(|document| format!("data: {document}\n\n")).collect();
    let text = lines.concat();
    let whole = parse(dialect, &text, &Tools::none(), &Settings::default());
    for size in [1, 5, 64] {
        assert_eq!(in_pieces(dialect, &text, size), whole, "in pieces of {size}: {text}");
    }
    let mut numbers: Vec<_> = whole.calls.iter().chain(&whole.set_aside).collect();
    numbers.sort_by_key(|call| call.index);
    assert!(numbers.iter().enumerate().all(|(place, call)| call.index == place), "{text}");
    for cut in 0..lines.len() {
        let start = lines[..cut].concat();
        for call in parse(dialect, &start, &Tools::none(), &Settings::default()).calls {
            let is_known = whole.calls.iter().any(|held| {
                (held.index, &held.name, &held.arguments)
                    == (call.index, &call.name, &call.arguments)
            });
            assert!(is_known, "{call:?} is invented by {start}: {whole:?} of {text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_stream_of_chat_completions_invents_a_call(chunks in prop::collection::vec(chunk(), 0..8)) {
        laws_hold(Dialect::OpenAiChat, &chunks);
    }

    #[test]
    fn no_stream_of_responses_invents_a_call(events in prop::collection::vec(event(), 0..8)) {
        laws_hold(Dialect::OpenAiResponses, &events);
    }
}
