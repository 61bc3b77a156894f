//! Values as text.

use serde_json::Value;

use super::Frame;
use crate::{Repairs, ShownResult, Wanted, type_text};

/// Writes a value so that it is read back as it was, where the schema allows that.
pub(crate) fn value_text(value: &Value, wanted: Option<Wanted>) -> String {
    let Value::String(string) = value else { return value.to_string() };
    let wanted = wanted.unwrap_or(Wanted::STRING);
    let reads_back = |text: &str| type_text(text.to_owned(), wanted, Repairs::Try).0 == *value;
    // Where a string may be other things too, quotes may be what tells it from a number.
    if !reads_back(string) && reads_back(&value.to_string()) {
        return value.to_string();
    }
    string.clone()
}

/// Writes an output as text: a string as it is, all else as JSON.
pub(crate) fn pretty_output(output: &Value) -> String {
    output.as_str().map_or_else(|| output.to_string(), str::to_owned)
}

/// Writes a result as text; an error begins with the word.
pub(crate) fn result_text(result: &ShownResult<'_>) -> String {
    match result.result {
        Ok(output) => pretty_output(output),
        Err(message) => format!("Error: {message}"),
    }
}

/// Writes a result as text that stays inside its frame.
pub(crate) fn framed_result(result: &ShownResult<'_>, frame: Frame) -> String {
    match result.result {
        Ok(output) => framed_output(output, frame),
        Err(message) => format!("Error: {}", frame.keep_text(message)),
    }
}

/// Writes an output as text that stays inside its frame.
pub(crate) fn framed_output(output: &Value, frame: Frame) -> String {
    match output {
        Value::String(text) => frame.keep_text(text).into_owned(),
        json => frame.keep_json(&json.to_string()).into_owned(),
    }
}

/// Writes JSON as Python's `json.dumps` does, which is what chat templates show models.
pub(crate) fn python_json(value: &Value) -> String {
    match value {
        Value::Array(members) => {
            format!("[{}]", members.iter().map(python_json).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| {
                format!("{}: {}", Value::String(key.clone()), python_json(value))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
