//! Reads the texts of an entry: with variables in them, or as they are.
//!
//! Whoever loads definitions checks the variables of every text and tells where a wrong one stands.
//! Makers therefore say nothing about those; they only make no tool.

use toolsmith_core::{Fields, Map, Template, Value};

/// Returns a text with variables in it; nothing when they cannot be read.
pub(crate) fn template(fields: &mut Fields<'_>, key: &'static str) -> Option<Template> {
    Template::parse(fields.text(key)?).ok()
}

/// Returns a text in which nothing is filled in; variables there are a fault.
pub(crate) fn literal<'a>(fields: &mut Fields<'a>, key: &'static str) -> Option<&'a str> {
    let text = fields.text(key)?;
    if has_variable(text) {
        fields.blame(key, NOT_FILLED_IN);
        return None;
    }
    Some(text)
}

/// What is said about variables where none are filled in.
pub(crate) const NOT_FILLED_IN: &str = "variables are not filled in here; write the text itself";

/// Tells whether a text has a variable in it.
pub(crate) fn has_variable(text: &str) -> bool {
    text.contains("${")
}

/// Tells whether the variables of every text can be read.
pub(crate) fn are_readable(entry: &Map<String, Value>) -> bool {
    entry.values().all(is_readable)
}

/// Writes a key as a segment of a pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn is_readable(value: &Value) -> bool {
    match value {
        Value::String(text) => Template::parse(text).is_ok(),
        Value::Array(items) => items.iter().all(is_readable),
        Value::Object(map) => are_readable(map),
        _ => true,
    }
}
