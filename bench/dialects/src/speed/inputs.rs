//! What an attacker might send: a beginning, and a unit that is repeated behind it.

use toolsmith_dialects::Dialect;

/// A hostile text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub(crate) name: &'static str,
    head: &'static str,
    unit: &'static str,
}

const fn input(name: &'static str, head: &'static str, unit: &'static str) -> Input {
    Input { name, head, unit }
}

/// Returns the texts that a dialect is attacked with; auto-detection must bear all of them.
pub(crate) fn of(dialect: Dialect) -> impl Iterator<Item = &'static Input> {
    let own: &[&[Input]] = match dialect {
        Dialect::Auto => &[XML, JSON, VALUES, TOKENS, MISTRAL, LLAMA, SERVERS],
        Dialect::Xml => &[XML],
        Dialect::Hermes => &[JSON],
        Dialect::QwenCoder | Dialect::Glm => &[VALUES],
        Dialect::Kimi | Dialect::DeepSeekV3 | Dialect::DeepSeekV31 | Dialect::Harmony => &[TOKENS],
        Dialect::Mistral | Dialect::MistralCompact => &[MISTRAL],
        Dialect::LlamaJson | Dialect::LlamaPython => &[LLAMA],
        _ => &[SERVERS],
    };
    STORMS.iter().chain(own.iter().copied().flatten())
}

impl Input {
    /// Writes the text up to about so many bytes; `#` in the unit is a number that counts up.
    pub(crate) fn text(&self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + self.unit.len() + 16);
        text.push_str(self.head);
        let mut number = 0_u64;
        while text.len() < bytes {
            match self.unit.split_once('#') {
                None => text.push_str(self.unit),
                Some((before, behind)) => {
                    text.push_str(before);
                    text.push_str(&number.to_string());
                    text.push_str(behind);
                    number += 1;
                }
            }
        }
        text
    }
}

/// Storms of what may begin something.
const STORMS: &[Input] = &[
    input("<", "", "<"),
    input("{", "", "{"),
    input("[", "", "["),
    input("backslashes", "", "\\"),
    input("quotes", "", "\""),
    input("backticks", "", "`"),
    input("white space", "", " "),
    input("fences", "", "```\n"),
    input("<|", "", "<|"),
    input("keys that begin nothing", "", "{\"id\": "),
];

/// Tags of XML.
const XML: &[Input] = &[
    input("unclosed invokes", "<function_calls>", "<invoke name=\"a\">"),
    input("nested tags", "", "<function_calls><invoke name=\"a\"><parameter name=\"b\">"),
    input(
        "backslashes in a value",
        "<function_calls><invoke name=\"a\"><parameter name=\"b\">",
        "\\",
    ),
    input("< in a value", "<function_calls><invoke name=\"a\"><parameter name=\"b\">", "<"),
    input(
        "end tags and spaces in a value",
        "<function_calls><invoke name=\"a\"><parameter name=\"b\">",
        "</parameter>          ",
    ),
    input(
        "ends of calls in a value",
        "<function_calls><invoke name=\"a\"><parameter name=\"b\">",
        "</invoke> ",
    ),
    input(
        "openings of other parameters in a value",
        "<function_calls><invoke name=\"a\"><parameter name=\"b\">",
        "<parameter name=\"p#\">x",
    ),
    input(
        "many parameters",
        "<function_calls><invoke name=\"a\">",
        "<parameter name=\"p#\">x</parameter>",
    ),
    input(
        "many calls",
        "<function_calls>",
        "<invoke name=\"a\"><parameter name=\"b\">x</parameter></invoke>",
    ),
    input("long heads of tags", "", "<invoke name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "),
];

/// JSON between tags.
const JSON: &[Input] = &[
    input("openings of JSON calls", "", "<tool_call>\n{\"name\": \"a\", \"arguments\": {"),
    input(
        "whole JSON calls",
        "",
        "<tool_call>\n{\"name\": \"a\", \"arguments\": {\"b\": 1}}\n</tool_call>\n",
    ),
    input("backslashes in JSON", "<tool_call>{\"name\": \"a\", \"arguments\": {\"b\": \"", "\\\\"),
    input("deep JSON", "<tool_call>{\"name\": \"a\", \"arguments\": ", "{\"a\":"),
    input("< in JSON", "<tool_call>{\"name\": \"a\", \"arguments\": {\"b\": [", "<"),
    input(
        "many keys in JSON",
        "<tool_call>{\"name\": \"a\", \"arguments\": {\"b\": 1",
        ", \"k#\": 1",
    ),
];

/// Parameters between tags, one by one.
const VALUES: &[Input] = &[
    input("many parameters of Qwen", "<tool_call><function=a>", "<parameter=p#>x</parameter>"),
    input(
        "ends in a value of Qwen",
        "<tool_call><function=a><parameter=b>",
        "</parameter>  </function> x",
    ),
    input(
        "openings in a value of Qwen",
        "<tool_call><function=a><parameter=b>",
        "\n<parameter=p#>x",
    ),
    input(
        "many parameters of GLM",
        "<tool_call>a",
        "<arg_key>p#</arg_key><arg_value>x</arg_value>",
    ),
    input(
        "ends in a value of GLM",
        "<tool_call>a<arg_key>b</arg_key><arg_value>",
        "</arg_value> x",
    ),
];

/// Special tokens.
const TOKENS: &[Input] = &[
    input("openings of Kimi", "<|tool_calls_section_begin|>", "<|tool_call_begin|>functions.a:0"),
    input(
        "bodies of Kimi",
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{}",
    ),
    input("heads of DeepSeek", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>a<｜tool▁sep｜>"),
    input("headers of Harmony", "", "<|channel|>commentary to=functions.a "),
    input("messages of Harmony", "", "<|channel|>commentary to=functions.a<|message|>{}"),
];

/// The markers of Mistral.
const MISTRAL: &[Input] = &[
    input("markers of Mistral", "", "[TOOL_CALLS]"),
    input("objects in a list of Mistral", "[TOOL_CALLS][", "{\"name\":\"a\",\"arguments\":{}},"),
    input("identifiers of Mistral", "[TOOL_CALLS]a", "[CALL_ID]a"),
    input("a long name of Mistral", "[TOOL_CALLS]", "abcdefgh"),
    input("compact calls of Mistral", "", "[TOOL_CALLS]a[ARGS]{}"),
];

/// Objects and lists of calls of Llama.
const LLAMA: &[Input] = &[
    input(
        "objects behind the tag of Llama",
        "<|python_tag|>",
        "{\"name\":\"a\",\"parameters\":{}};",
    ),
    input("bare objects", "", "{\"name\":\"a\",\"parameters\":{}}\n"),
    input("openings of lists of calls", "", "[a("),
    input("calls in a list", "[a(b=1)", ", a(b=1)"),
    input("many keywords", "[a(b=1", ", k#=1"),
    input("separators behind a call", "[a()", ", "),
];

/// Answers of servers.
const SERVERS: &[Input] = &[
    input(
        "chunks of many calls",
        "",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":#,\"function\":{\"name\":\"a\"}}]}}]}\n",
    ),
    input(
        "chunks of one call",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\"}}]}}]}\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\"}}]}}]}\n",
    ),
    input(
        "blocks of Anthropic",
        "",
        "{\"type\":\"content_block_start\",\"index\":#,\"content_block\":{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"a\"}}\n",
    ),
    input("lines of no event", "", "not an event\n"),
];
