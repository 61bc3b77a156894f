//! The subset of `OpenAPI` 3.0 schemas that Gemini takes.

use serde_json::{Map, Value, json};

use super::schema::Changes;

/// The keys that are taken as they are.
const TAKEN: [&str; 17] = [
    "type",
    "description",
    "nullable",
    "default",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
    "title",
    "propertyOrdering",
];
/// The longest name of a parameter.
const LONGEST_KEY: usize = 64;
/// Deeper schemas are cut; the service refuses them as well.
const DEEPEST: usize = 32;

/// Fits a schema whose references are written out.
pub(super) fn fit(schema: Value, changes: &mut Changes) -> Value {
    let Value::Object(fields) = schema else { return json!({"type": "object"}) };
    Value::Object(fit_object(fields, "", 0, changes))
}

fn fit_object(
    mut fields: Map<String, Value>,
    path: &str,
    depth: usize,
    changes: &mut Changes,
) -> Map<String, Value> {
    if depth > DEEPEST {
        changes.push((path.to_owned(), "the schema is too deep; it was cut here".to_owned()));
        return Map::new();
    }
    let mut note =
        |key: &str, message: &str| changes.push((format!("{path}/{key}"), message.into()));
    merge_all_of(&mut fields, &mut note);
    if let Some(parts) = fields.remove("oneOf") {
        note("oneOf", "`oneOf` is shown as `anyOf`");
        fields.entry("anyOf").or_insert(parts);
    }
    if let Some(constant) = fields.remove("const") {
        note("const", "`const` is shown as an `enum` of one");
        fields.entry("enum").or_insert_with(|| json!([constant]));
    }
    fit_types(&mut fields, &mut note);
    fit_enum(&mut fields, &mut note);
    fit_format(&mut fields, &mut note);
    for key in ["exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(bound) = fields.remove(key) {
            describe(&mut fields, &format!("{key}: {bound}"));
            note(key, "the bound is said in the description");
        }
    }
    let unknown: Vec<String> = fields
        .keys()
        .filter(|key| !TAKEN.contains(&key.as_str()) && !matches!(key.as_str(), "enum" | "format"))
        .cloned()
        .collect();
    for key in unknown {
        fields.remove(&key);
        note(&key, "the provider does not know this key; it was left out");
    }
    fit_children(fields, path, depth, changes)
}

fn fit_children(
    fields: Map<String, Value>,
    path: &str,
    depth: usize,
    changes: &mut Changes,
) -> Map<String, Value> {
    let mut fitted = Map::new();
    let mut dropped = Vec::new();
    for (key, value) in fields {
        let here = format!("{path}/{key}");
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let mut kept = Map::new();
                for (name, schema) in properties {
                    if !is_legal(&name) {
                        let message = "the provider does not take this name; it was left out";
                        changes.push((format!("{here}/{name}"), message.to_owned()));
                        dropped.push(name);
                        continue;
                    }
                    let schema = fit_value(schema, &format!("{here}/{name}"), depth, changes);
                    kept.insert(name, schema);
                }
                Value::Object(kept)
            }
            ("anyOf", Value::Array(parts)) => parts
                .into_iter()
                .enumerate()
                .map(|(place, part)| fit_value(part, &format!("{here}/{place}"), depth, changes))
                .collect(),
            ("items", Value::Array(mut members)) => {
                changes.push((here.clone(), "only the first of several `items` is shown".into()));
                let first = if members.is_empty() { json!({}) } else { members.swap_remove(0) };
                fit_value(first, &here, depth, changes)
            }
            ("items", items) => fit_value(items, &here, depth, changes),
            (_, value) => value,
        };
        fitted.insert(key, value);
    }
    finish(fitted, &dropped, path, changes)
}

fn finish(
    mut fields: Map<String, Value>,
    dropped: &[String],
    path: &str,
    changes: &mut Changes,
) -> Map<String, Value> {
    if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !dropped.iter().any(|dropped| name == dropped));
        if required.is_empty() {
            fields.remove("required");
        }
    }
    let kind = fields.get("type").and_then(Value::as_str).map(str::to_owned);
    if kind.as_deref() == Some("array") && !fields.contains_key("items") {
        changes.push((path.to_owned(), "`items` was added: lists must have it".to_owned()));
        fields.insert("items".to_owned(), json!({"type": "string"}));
    }
    let is_empty = |fields: &Map<String, Value>| {
        fields.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
    };
    // The service refuses an object that lists no properties, except by leaving the list out.
    if kind.as_deref() == Some("object") && is_empty(&fields) {
        fields.remove("properties");
    }
    fields
}

fn fit_value(schema: Value, path: &str, depth: usize, changes: &mut Changes) -> Value {
    match schema {
        Value::Object(fields) => Value::Object(fit_object(fields, path, depth + 1, changes)),
        // `true` allows anything.
        _ => json!({}),
    }
}

fn merge_all_of(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(Value::Array(parts)) = fields.remove("allOf") else { return };
    note("allOf", "the parts of `allOf` were put together");
    for part in parts {
        let Value::Object(part) = part else { continue };
        for (key, value) in part {
            match (fields.get_mut(&key), value) {
                (Some(Value::Object(old)), Value::Object(new)) => old.extend(new),
                (Some(Value::Array(old)), Value::Array(new)) if key == "required" => {
                    old.extend(new);
                }
                (Some(_), _) => {}
                (None, value) => {
                    fields.insert(key, value);
                }
            }
        }
    }
}

/// Shows a list of types as one type that may be null, or as several schemas.
fn fit_types(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(Value::Array(types)) = fields.get("type") else { return };
    let mut types: Vec<Value> = types.clone();
    let before = types.len();
    types.retain(|kind| kind != "null");
    if types.len() < before {
        fields.insert("nullable".to_owned(), Value::Bool(true));
    }
    if types.len() == 1 {
        fields.insert("type".to_owned(), types.swap_remove(0));
    } else {
        fields.remove("type");
        let parts: Vec<Value> = types.iter().map(|kind| json!({ "type": kind })).collect();
        if !parts.is_empty() {
            fields.entry("anyOf").or_insert(Value::Array(parts));
        }
    }
    note("type", "a list of types is shown as `nullable` or `anyOf`");
}

/// Only strings can be listed.
fn fit_enum(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(Value::Array(values)) = fields.get("enum") else { return };
    let kind = fields.get("type").and_then(Value::as_str);
    if values.iter().all(Value::is_string) && kind.is_none_or(|kind| kind == "string") {
        fields.insert("type".to_owned(), json!("string"));
        return;
    }
    let listed = values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    fields.remove("enum");
    describe(fields, &format!("One of: {listed}."));
    note("enum", "only strings can be listed; the values are said in the description");
}

fn fit_format(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(format) = fields.get("format").and_then(Value::as_str) else { return };
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_known = match kind {
        "string" => matches!(format, "date-time" | "enum"),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    };
    if !is_known {
        let sentence = format!("Format: {format}.");
        fields.remove("format");
        describe(fields, &sentence);
        note("format", "the provider does not know this format; it is said in the description");
    }
}

fn describe(fields: &mut Map<String, Value>, sentence: &str) {
    let before = fields.get("description").and_then(Value::as_str).unwrap_or_default();
    let space = if before.is_empty() { "" } else { " " };
    let description = format!("{before}{space}{sentence}");
    fields.insert("description".to_owned(), Value::String(description));
}

fn is_legal(name: &str) -> bool {
    name.len() <= LONGEST_KEY
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
}
