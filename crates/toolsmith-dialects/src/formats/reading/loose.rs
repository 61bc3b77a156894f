//! Reads a document whose arguments JSON cannot hold, so that only their call is unreadable.

use serde_json::Value;

use crate::JsonScanner;

/// The members that hold the arguments of a call, as the model wrote them.
const ARGUMENTS: [&str; 3] = ["arguments", "input", "args"];

/// Reads a JSON object; arguments that cannot be read in it become their own text.
///
/// The server writes the document, but the model the arguments: a number that is too large or
/// nesting that is too deep must not cost more than their call.
pub(crate) fn read_document(raw: &str) -> Option<Value> {
    serde_json::from_str(raw).ok().or_else(|| serde_json::from_str(&loosened(raw)).ok())
}

/// Returns the JSON text of a call's arguments; the empty text where there are none.
pub(crate) fn arguments_at(call: &Value, key: &str) -> String {
    match call.get(key) {
        None | Some(Value::Null) => String::new(),
        // A text that is no object stands for itself; an object in a string is to be noted.
        Some(Value::String(text)) if !is_object(text) => text.clone(),
        Some(value) => value.to_string(),
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|value: Value| value.is_object())
}

/// Writes the arguments that are no JSON as strings.
fn loosened(raw: &str) -> String {
    let mut loose = String::with_capacity(raw.len());
    let (mut at, mut copied) = (0, 0);
    while let Some(quote) = raw.get(at..).and_then(|rest| rest.find('"')) {
        let start = at + quote;
        let Some(key) = value_at(raw, start) else { break };
        at = start + key.len();
        let Some(value_start) = member_start(raw, at).filter(|_| is_arguments(key)) else {
            continue;
        };
        let Some(value) = value_at(raw, value_start) else { break };
        at = value_start + value.len();
        if serde_json::from_str::<Value>(value).is_err() {
            loose.push_str(raw.get(copied..value_start).unwrap_or_default());
            loose.push_str(&Value::from(value).to_string());
            copied = at;
        }
    }
    loose.push_str(raw.get(copied..).unwrap_or_default());
    loose
}

/// Returns the text of the value at a place.
fn value_at(raw: &str, start: usize) -> Option<&str> {
    let rest = raw.get(start..)?;
    rest.get(..JsonScanner::default().feed(rest)?)
}

/// Returns where the object or the list begins whose key ends at a place.
fn member_start(raw: &str, key_end: usize) -> Option<usize> {
    let rest = raw.get(key_end..)?;
    let value = rest.trim_ascii_start().strip_prefix(':')?.trim_ascii_start();
    value.starts_with(['{', '[']).then(|| raw.len() - value.len())
}

fn is_arguments(key: &str) -> bool {
    ARGUMENTS.contains(&key.trim_matches('"'))
}
