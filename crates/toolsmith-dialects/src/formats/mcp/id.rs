//! Identifiers of requests: an answer has the value and the type of its request's.

use serde_json::Value;

/// Returns an identifier as text; a string that reads as another identifier keeps its quotes.
pub(super) fn to_text(id: &Value) -> Option<String> {
    match id {
        Value::String(text) if read(text).is_none() => Some(text.clone()),
        Value::String(_) | Value::Number(_) => Some(id.to_string()),
        _ => None,
    }
}

/// Returns the identifier that a text stands for: `7` is a number, `"7"` and `x7` are strings.
pub(super) fn to_json(text: &str) -> Value {
    read(text).unwrap_or_else(|| Value::from(text))
}

fn read(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    (value.is_number() || value.is_string()).then_some(value)
}
