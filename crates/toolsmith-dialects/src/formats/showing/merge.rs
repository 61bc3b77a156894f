//! Puts the parts of a schema together.

use serde_json::{Map, Value, json};

/// Puts the parts of `allOf` into the schema itself.
pub(super) fn all_of(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    // A part may have parts of its own; each round takes one level off.
    while let Some(parts) = fields.remove("allOf") {
        note("allOf", "the provider does not take `allOf`; its parts were put together");
        let Value::Array(parts) = parts else { continue };
        for part in parts {
            let Value::Object(part) = part else { continue };
            for (key, value) in part {
                put(fields, key, value, note);
            }
        }
    }
}

fn put(
    fields: &mut Map<String, Value>,
    key: String,
    value: Value,
    note: &mut impl FnMut(&str, &str),
) {
    match (fields.get_mut(&key), value) {
        (Some(Value::Object(known)), Value::Object(more)) if key == "properties" => {
            for (name, schema) in more {
                known.entry(name).or_insert(schema);
            }
        }
        (Some(Value::Array(known)), Value::Array(more))
            if matches!(key.as_str(), "required" | "allOf") =>
        {
            for member in more {
                if !known.contains(&member) {
                    known.push(member);
                }
            }
        }
        (Some(known), value) => {
            if *known != value && !matches!(key.as_str(), "description" | "title") {
                note(&key, "the parts of `allOf` do not agree; only the first is shown");
            }
        }
        (None, value) => {
            fields.insert(key, value);
        }
    }
}

/// Shows `oneOf` as `anyOf`.
pub(super) fn one_of(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(parts) = fields.remove("oneOf") else { return };
    if fields.contains_key("anyOf") {
        note("oneOf", "`oneOf` cannot be shown beside `anyOf`; it was left out");
        return;
    }
    note("oneOf", "the provider does not take `oneOf`; it is shown as `anyOf`");
    fields.insert("anyOf".to_owned(), parts);
}

/// Returns the type, or the list of types, that the values have.
pub(super) fn type_of(values: &[Value]) -> Option<Value> {
    let name = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut names: Vec<&str> = Vec::new();
    for name in values.iter().map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [] => None,
        [one] => Some(json!(one)),
        several => Some(json!(several)),
    }
}
