//! Writes tools, calls and results as Llama 4 is shown them.

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::super::showing::{Frame, framed_result, instructed};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the prompt that shows the tools.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    instructed(tools, settings, |definitions| {
        let list = definitions.iter().map(|definition| definition.function_text(Frame::TOKENS));
        let list = list.collect::<Vec<_>>().join(", ");
        format!(
            "Here is a list of functions in JSON format that you can invoke:\n\n[{list}]\n\n\
             If you decide to invoke any of the functions, put them in the format of \
             [func_name1(params_name1=params_value1, params_name2=params_value2), \
             func_name2(params)] and write nothing else. Values are Python literals."
        )
    })
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let calls = calls.iter().map(|call| {
        let fields = call.arguments.as_object().into_iter().flatten();
        let arguments: Vec<_> = fields.map(|(key, value)| argument(key, value)).collect();
        format!("{}({})", call.name, arguments.join(", "))
    });
    format!("[{}]", calls.collect::<Vec<_>>().join(", "))
}

/// Writes `key=value`; a key that is no Python name needs a dictionary.
fn argument(key: &str, value: &Value) -> String {
    let is_name = !key.is_empty()
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name {
        return format!("{key}={}", literal(value));
    }
    format!("**{{{}: {}}}", string(key), literal(value))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(members) => {
            format!("[{}]", members.iter().map(literal).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(key, value)| format!("{}: {}", string(key), literal(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn string(text: &str) -> String {
    let mut literal = String::from("'");
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '\'' => literal.push_str("\\'"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c if c.is_ascii_control() => {
                let code = format!("\\x{:02x}", u32::from(c));
                literal.push_str(&code);
            }
            c => literal.push(c),
        }
    }
    literal.push('\'');
    literal
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let messages = results.iter().map(|result| {
        let output = framed_result(result, Frame::TOKENS);
        format!("<|header_start|>ipython<|header_end|>\n\n{output}<|eot|>")
    });
    messages.collect()
}
