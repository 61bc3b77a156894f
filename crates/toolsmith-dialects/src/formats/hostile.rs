//! What an attacker might repeat: no dialect keeps a long text unread, which would be quadratic.

use crate::{Dialect, Parser, Settings, Tools};

/// Twice the longest look ahead.
const LONGEST: usize = 512;

const UNITS: &[&str] = &[
    "<",
    "{",
    "[",
    "\\",
    "\"",
    "`",
    " ",
    "{\"",
    "[{\"a\":",
    "{\"id\":",
    "<think>",
    "</think>",
    "<thinking>{\"name\": \"",
    "event: a\n",
    "data: ",
    ": \n",
    "{\"id\": \"",
    "<tool_call>",
    "<tool_call> ",
    "<tool_call>{\"name\": \"a\", ",
    "<function=a><parameter=b>",
    "</parameter> ",
    "<tool_call>a<arg_key>b</arg_key><arg_value>",
    "</arg_value> ",
    "<|tool_call_begin|>a",
    "<|tool_call_begin|>a:0<|tool_call_argument_begin|>{",
    "[TOOL_CALLS] ",
    "[TOOL_CALLS]a",
    "[TOOL_CALLS][{",
    "[a(",
    "[a(b=[",
    "{\"name\": \"a\", \"parameters\": ",
    "<|channel|>a",
    "<|channel|>a to=b<|message|>{",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>",
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"a\"}}]}}]}\n",
    "<invoke name=\"a\"><parameter name=\"b\">",
    "<![CDATA[",
    "]",
    "]]><![CDATA[",
    "\n> ",
    "``` ",
];

/// What may stand before the repeated text, so that it is met in all places.
const BEFORE: &[&str] = &[
    "",
    "<think>",
    "event: a\ndata: ",
    "<tool_call>",
    "<function=a>",
    "<function=a><parameter=b>",
    "<function=a><parameter=b>x</parameter>",
    "<tool_call>a<arg_key>b</arg_key><arg_value>",
    "<tool_call>{\"name\": \"a\", \"arguments\": {}}",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "[TOOL_CALLS]",
    "[a()",
    "<|channel|>",
    "<function_calls><invoke name=\"a\"><parameter name=\"b\">",
    "<function_calls><invoke name=\"a\"><parameter name=\"b\"><![CDATA[",
];

#[test]
fn no_dialect_leaves_a_long_text_unread() {
    for &dialect in std::iter::once(&Dialect::Auto).chain(Dialect::ALL) {
        for before in BEFORE {
            for unit in UNITS {
                let unread = most_unread(dialect, before, unit);
                assert!(unread <= LONGEST, "{dialect} {before:?} {unit:?}: {unread}");
            }
        }
    }
}

/// Returns the most that waited for more text while a unit was repeated.
fn most_unread(dialect: Dialect, before: &str, unit: &str) -> usize {
    let mut parser = Parser::new(dialect, Tools::none(), Settings::default());
    parser.push_with(before, &mut |_| {});
    let mut most = 0;
    for _ in 0..2_048 / unit.len() {
        parser.push_with(unit, &mut |_| {});
        most = most.max(parser.unread());
    }
    parser.finish_with(&mut |_| {});
    most
}
