//! Laws over generated calls and texts.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolsmith_dialects::{Dialect, Parser, Reply, Settings, ShownCall, Tools, parse, render_calls};

/// A value of any shape, with the texts that parsers stumble over.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9 ]{0,8}",
        any::<String>(),
        prop::sample::select(vec![
            "</tool_call>",
            "<tool_call>",
            "[TOOL_CALLS]",
            "<|tool_call_end|>",
            "{\"a\": 1}",
            "]",
            "'",
            "\"",
            "\\",
            "\n",
            "```json\n",
            "<|call|>",
            "观星阁",
            "\\u0041",
            "None",
            "\u{0}",
        ])
        .prop_map(str::to_owned),
    ]
}

/// Arguments whose names a model could write in any dialect.
fn arguments() -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[a-z_]{1,6}", value(), 0..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

/// The dialects that write arguments as a whole, so that any value comes back without a schema.
const WHOLE: &[Dialect] = &[
    Dialect::OpenAiChat,
    Dialect::OpenAiResponses,
    Dialect::Anthropic,
    Dialect::Gemini,
    Dialect::Mcp,
    Dialect::Hermes,
    Dialect::Kimi,
    Dialect::DeepSeekV3,
    Dialect::DeepSeekV31,
    Dialect::Mistral,
    Dialect::MistralCompact,
    Dialect::Harmony,
    Dialect::LlamaJson,
    Dialect::LlamaPython,
];

/// Pieces of all dialects, to be put together in ways that nobody thought of.
const SCRAPS: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "{\"name\": \"add\", \"arguments\": {\"a\": 1}}",
    "{\"name\": ",
    "<function=add>",
    "</function>",
    "<parameter=a>",
    "</parameter>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "functions.add:0",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_end|>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "[CALL_ID]",
    "add",
    "[",
    "]",
    "(",
    ")",
    "add(a=1)",
    "<|python_tag|>",
    "<|python_start|>",
    "<|python_end|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "function",
    "```json\n",
    "\n```",
    "<｜tool▁call▁end｜>",
    "<｜tool▁calls▁end｜>",
    "<|start|>",
    "assistant",
    "<|channel|>",
    "commentary to=functions.add ",
    "analysis",
    "<|message|>",
    "<|call|>",
    "<|end|>",
    "data: ",
    "event: x\n",
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "\n\n",
    "{",
    "}",
    "\"",
    "'",
    "\\",
    ";",
    ",",
    " ",
    "\n",
    "text",
    "观",
    "<function_calls>",
    "<invoke name=\"add\">",
    "<parameter name=\"b\">",
    "</invoke>",
    "</function_calls>",
    "<![CDATA[",
    "]]",
    "]]>",
    "``",
    "`",
    "\n> ",
    "\n     ```\n",
    "\n- ",
    "[f(x=1)]",
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"add\",\"arguments\":\"{\"}}]}}]}",
    "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"name\":\"add\",\"input\":{}}}",
    "{\"type\":\"content_block_stop\",\"index\":1}",
];

fn scraps() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(SCRAPS), 0..24)
}

fn tools() -> Tools {
    let schema = json!({"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}});
    Tools::of_schemas([("add", &schema)])
}

fn read(dialect: Dialect, pieces: &[impl AsRef<str>]) -> Reply {
    let mut parser = Parser::new(dialect, tools(), Settings::default());
    let mut reply = Reply::default();
    for piece in pieces {
        parser.push_with(piece.as_ref(), &mut |event| reply.add(event));
    }
    parser.finish_with(&mut |event| reply.add(event));
    reply
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_called_comes_back(calls in prop::collection::vec(arguments(), 1..3)) {
        for &dialect in WHOLE {
            let shown: Vec<_> = calls
                .iter()
                .map(|arguments| ShownCall { id: None, name: "add", arguments })
                .collect();
            let text = render_calls(dialect, &shown, &Tools::none());
            let reply = parse(dialect, &text, &Tools::none(), &Settings::default());
            let read: Vec<_> = reply.calls.iter().map(|call| &call.arguments).collect();
            prop_assert_eq!(read, calls.iter().collect::<Vec<_>>(), "{} {}", dialect, text);
        }
    }

    #[test]
    fn typed_values_come_back_in_every_dialect_and_no_prefix_invents_a_call(
        calls in prop::collection::vec((any::<i64>(), "[^<\\[`{]{0,12}"), 1..3),
        prose in "[a-z .\\n]{0,12}",
    ) {
        let calls: Vec<_> = calls.iter().map(|(a, b)| json!({"a": a, "b": b})).collect();
        for &dialect in Dialect::ALL {
            let shown: Vec<_> = calls
                .iter()
                .map(|arguments| ShownCall { id: None, name: "add", arguments })
                .collect();
            let text = render_calls(dialect, &shown, &tools());
            let text = if text.starts_with('{') { text } else { format!("{prose}{text}") };
            let reply = parse(dialect, &text, &tools(), &Settings::default());
            let read: Vec<_> = reply.calls.iter().map(|call| &call.arguments).collect();
            prop_assert_eq!(read, calls.iter().collect::<Vec<_>>(), "{} {}", dialect, text);
            for (cut, _) in text.char_indices().filter(|_| dialect == Dialect::Auto) {
                let reply = parse(dialect, &text[..cut], &tools(), &Settings::default());
                let is_prefix = reply.calls.iter().zip(&calls).all(|(call, gold)| call.arguments == *gold);
                prop_assert!(is_prefix && reply.calls.len() <= calls.len(), "{} {:?}", dialect, &text[..cut]);
            }
        }
    }

    #[test]
    fn no_split_of_any_text_changes_anything(scraps in scraps()) {
        let text = scraps.concat();
        let chars: Vec<String> = text.chars().map(String::from).collect();
        for &dialect in std::iter::once(&Dialect::Auto).chain(Dialect::ALL) {
            let whole = parse(dialect, &text, &tools(), &Settings::default());
            prop_assert_eq!(&read(dialect, &scraps), &whole, "{} {:?}", dialect, &text);
            prop_assert_eq!(&read(dialect, &chars), &whole, "{} {:?}", dialect, &text);
            for (cut, _) in text.char_indices() {
                let reply = parse(dialect, &text[..cut], &tools(), &Settings::default());
                let known = whole.calls.iter().chain(&whole.set_aside);
                prop_assert!(
                    reply.calls.iter().all(|call| known.clone().any(|other| {
                        call.name == other.name && call.range.start == other.range.start
                    })),
                    "{} {:?}", dialect, &text[..cut]
                );
            }
        }
    }

    #[test]
    fn ranges_of_calls_and_problems_lie_in_the_text(scraps in scraps()) {
        let text = scraps.concat();
        for &dialect in Dialect::ALL {
            let reply = parse(dialect, &text, &tools(), &Settings::default());
            let ranges = reply.calls.iter().chain(&reply.set_aside).map(|call| &call.range);
            for range in ranges.chain(reply.problems.iter().map(|problem| &problem.range)) {
                prop_assert!(text.get(range.clone()).is_some(), "{} {:?} {:?}", dialect, range, text);
            }
        }
    }
}
