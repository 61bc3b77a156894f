//! Any call, written in every dialect: what is read back is what was written.

use serde_json::{Map, Value, json};
use toolsmith_dialects::{Dialect, Settings, ShownCall, Tools, parse, render_calls};

use super::bytes::Bytes;

/// The most calls in one answer.
const MOST: usize = 3;

/// The tools that are called, each with arguments of its own types.
const NAMES: [&str; MOST] = ["add", "get_weather", "files_read-all"];

/// Checks one list of calls in every dialect.
pub(crate) fn check(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let mut calls = Vec::new();
    while calls.is_empty() || (!bytes.is_empty() && calls.len() < MOST) {
        calls.push((NAMES[calls.len()], Value::Object(bytes.arguments())));
    }
    let schemas: Vec<_> = calls.iter().map(|(name, value)| (*name, schema(value))).collect();
    let tools = Tools::of_schemas(schemas.iter().map(|(name, schema)| (*name, schema)));
    for &dialect in Dialect::ALL {
        if calls.iter().all(|(_, arguments)| can_hold(dialect, arguments)) {
            comes_back(dialect, &calls, &tools);
        }
    }
}

fn comes_back(dialect: Dialect, calls: &[(&str, Value)], tools: &Tools) {
    let shown: Vec<_> =
        calls.iter().map(|(name, arguments)| ShownCall { id: None, name, arguments }).collect();
    let text = render_calls(dialect, &shown, tools);
    let reply = parse(dialect, &text, tools, &Settings::default());
    let read: Vec<_> =
        reply.calls.iter().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
    assert_eq!(read, calls, "{dialect}: {text}\n{:?} {:?}", reply.set_aside, reply.problems);
    assert_eq!(reply.text().trim(), "", "{dialect}: {text}");
}

/// Returns a schema that names the type of every argument.
fn schema(arguments: &Value) -> Value {
    let types = arguments.as_object().into_iter().flatten().map(|(name, value)| {
        let name_of_type = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        (name.clone(), json!({ "type": name_of_type }))
    });
    json!({"type": "object", "properties": types.collect::<Map<_, _>>()})
}

/// Tells whether a dialect can hold these values at all.
///
/// Three dialects write values between tags and have no escapes: what goes on in a value as a call
/// would go on behind it cannot be told from that.
fn can_hold(dialect: Dialect, arguments: &Value) -> bool {
    let (enders, openers): (&[&str], &[&str]) = match dialect {
        Dialect::Xml => (&["parameter>", "invoke>"], &["parameter ", "invoke "]),
        Dialect::QwenCoder => (&["</parameter>", "</function>"], &["<parameter="]),
        Dialect::Glm => (&["</arg_value>", "</tool_call>"], &["<arg_value>"]),
        _ => return true,
    };
    let values = arguments.as_object().into_iter().flatten().map(|(_, value)| value);
    let mut texts = values.map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
    texts.all(|text| {
        // In XML any white space may stand in a tag, and a prefix before its name.
        let text = if dialect == Dialect::Xml { spaced(&text) } else { text };
        let is_ended = |ender: &&str| text.split(ender).skip(1).any(goes_on);
        // A section without an end would go on behind the value.
        let is_section =
            dialect == Dialect::Xml && text.trim_ascii_start().starts_with("<![CDATA[");
        !is_section
            && !openers.iter().any(|opener| text.contains(opener))
            && !enders.iter().any(is_ended)
    })
}

/// Tells whether a tag with this text behind it looks like one of the call: another tag or the end
/// of the value follows.
fn goes_on(behind: &str) -> bool {
    let behind = behind.trim_ascii_start();
    behind.is_empty() || behind.starts_with('<')
}

/// Writes white space as spaces, and none before the end of a tag.
fn spaced(text: &str) -> String {
    let space = |c: char| if c.is_ascii_whitespace() { ' ' } else { c };
    let mut text: String = text.chars().map(space).collect();
    while text.contains(" >") {
        text = text.replace(" >", ">");
    }
    text
}
