//! Writes schemas as TypeScript types; what a type cannot say stands in a comment.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The deepest type that is written out; the rest is said in a comment.
const DEEPEST: usize = 16;
/// The keys that a type says, or that are written as comments of their own.
const SAID: [&str; 11] = [
    "type",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "properties",
    "required",
    "items",
    "description",
    "default",
];

/// Writes the members of an object, each on a line of its own.
pub(super) fn members(schema: &Value, depth: usize) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |key: &str| required.is_some_and(|required| required.iter().any(|name| name == key));
    let mut text = String::new();
    for (key, schema) in properties.into_iter().flatten() {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        text.push_str(&comment(description));
        text.push_str(&remarks(schema, "", depth + 1));
        let mark = if is_required(key) { "" } else { "?" };
        let default = schema.get("default").map(|value| format!(" // default: {value}"));
        let (key, kind) = (name_of(key), type_of(schema, depth + 1));
        text.extend([&*key, mark, ": ", &kind, ",", &default.unwrap_or_default(), "\n"]);
    }
    text
}

/// Writes what the type of a schema does not say, a comment for each key.
pub(super) fn remarks(schema: &Value, place: &str, depth: usize) -> String {
    let mut text = String::new();
    for (key, value) in schema.as_object().into_iter().flatten() {
        // An object type is closed, so that need not be said.
        let is_closed = key == "additionalProperties" && *value == Value::Bool(false);
        let is_said = SAID.contains(&key.as_str()) && depth <= DEEPEST;
        if !is_said && !is_closed {
            text.push_str(&comment(&format!("{place}{key}: {value}")));
        }
    }
    if depth > DEEPEST {
        return text;
    }
    for (place, schema) in parts(schema, place) {
        let description = schema.get("description").and_then(Value::as_str);
        if let Some(description) = description {
            text.push_str(&comment(&format!("{place}description: {description}")));
        }
        if let Some(default) = schema.get("default") {
            text.push_str(&comment(&format!("{place}default: {default}")));
        }
        text.push_str(&remarks(schema, &place, depth + 1));
    }
    text
}

/// Returns the schemas in a schema that have no name of their own.
fn parts<'a>(schema: &'a Value, place: &str) -> Vec<(String, &'a Value)> {
    let mut parts = Vec::new();
    if let Some(items) = schema.get("items") {
        parts.push((format!("{place}items."), items));
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        let members = schema.get(key).and_then(Value::as_array);
        for (number, part) in members.into_iter().flatten().enumerate() {
            parts.push((format!("{place}{key}.{number}."), part));
        }
    }
    parts
}

/// Writes a text as comments, a line each.
pub(super) fn comment(text: &str) -> String {
    text.lines().flat_map(|line| ["// ", line, "\n"]).collect()
}

/// Writes a name; one that is no TypeScript name stands in quotes.
fn name_of(key: &str) -> Cow<'_, str> {
    let is_name = key.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if is_name { Cow::Borrowed(key) } else { Cow::Owned(Value::from(key).to_string()) }
}

fn type_of(schema: &Value, depth: usize) -> String {
    if depth > DEEPEST {
        return "any".to_owned();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    for (key, sign) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
        if let Some(parts) = schema.get(key).and_then(Value::as_array) {
            let parts = parts.iter().map(|part| type_of(part, depth + 1));
            return parts.collect::<Vec<_>>().join(sign);
        }
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().map(|kind| named(kind.as_str().unwrap_or(""), schema, depth));
            kinds.collect::<Vec<_>>().join(" | ")
        }
        Some(Value::String(kind)) => named(kind, schema, depth),
        _ if schema.get("properties").is_some() => named("object", schema, depth),
        _ => "any".to_owned(),
    }
}

fn named(kind: &str, schema: &Value, depth: usize) -> String {
    match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let items = schema.get("items").map(|items| type_of(items, depth + 1));
            let items = items.unwrap_or_else(|| "any".to_owned());
            if items.contains(' ') { format!("Array<{items}>") } else { format!("{items}[]") }
        }
        "object" => {
            let properties = schema.get("properties").and_then(Value::as_object);
            if properties.is_none_or(Map::is_empty) {
                return "object".to_owned();
            }
            format!("{{\n{}}}", members(schema, depth))
        }
        _ => "any".to_owned(),
    }
}
