//! Checks a JSON Schema of a definition, and finds the part of it that is wrong.

use toolsmith_core::{Fault, JsonText, Map, Spot, Value};
use toolsmith_engine::schema::Schema;

use crate::variables::escaped;

/// Words whose values are maps of schemas, a schema, or lists of schemas.
const MAPS: [&str; 5] =
    ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
const SINGLE: [&str; 8] =
    ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Returns what is wrong with a schema that stands at a pointer.
pub(super) fn check(schema: &Value, pointer: &str) -> Option<Fault> {
    let message = wrong(schema)?;
    let (pointer, message) = narrow(schema, pointer.to_owned(), message);
    Some(Fault { pointer, spot: Spot::Value, message })
}

fn wrong(schema: &Value) -> Option<String> {
    let error = Schema::inspect(&JsonText::of(schema)).err()?;
    let message = error.message().trim_end_matches('.');
    Some(message.replacen("The schema", "the schema", 1))
}

/// Walks down to the smallest part that is wrong by itself.
fn narrow(schema: &Value, pointer: String, message: String) -> (String, String) {
    let Value::Object(words) = schema else { return (pointer, message) };
    for (at, inner) in parts(words) {
        if let Some(message) = wrong(inner).filter(|message| !is_reference(message)) {
            return narrow(inner, format!("{pointer}/{at}"), message);
        }
    }
    for (word, value) in words {
        let alone = Value::Object(Map::from_iter([(word.clone(), value.clone())]));
        if let Some(message) = wrong(&alone).filter(|message| !is_reference(message)) {
            return (format!("{pointer}/{}", escaped(word)), message);
        }
    }
    (pointer, message)
}

/// A part that refers to the whole is only wrong when it is taken out of it.
fn is_reference(message: &str) -> bool {
    message.contains("refers to") || message.contains("has a reference")
}

fn parts(words: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut parts = Vec::new();
    for (word, value) in words {
        match value {
            Value::Object(inner) if MAPS.contains(&word.as_str()) => {
                let part = |(name, part): (&String, _)| (format!("{word}/{}", escaped(name)), part);
                parts.extend(inner.iter().map(part));
            }
            Value::Array(inner) if LISTS.contains(&word.as_str()) => {
                let part = |(place, part)| (format!("{word}/{place}"), part);
                parts.extend(inner.iter().enumerate().map(part));
            }
            _ if SINGLE.contains(&word.as_str()) => parts.push((word.clone(), value)),
            _ => {}
        }
    }
    parts
}
