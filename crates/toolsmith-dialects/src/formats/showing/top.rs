//! Makes the top of a schema a plain object.

use serde_json::{Map, Value, json};

use super::schema::Changes;

/// The keys that no provider takes at the top.
const COMBINATORS: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];

/// Tells whether the top can only be made plain when its references are written out.
pub(super) fn needs_references(schema: &Value) -> bool {
    COMBINATORS.iter().chain(&["$ref"]).any(|key| schema.get(*key).is_some())
}

/// Makes the top an object.
pub(super) fn typed(schema: &mut Value, changes: &mut Changes) {
    let Some(fields) = schema.as_object_mut() else { return };
    let kind = fields.insert("type".to_owned(), json!("object"));
    if kind.is_some_and(|kind| kind != "object") {
        let message = "the input of a tool must be an `object`, so it is shown as one";
        changes.push(("/type".to_owned(), message.to_owned()));
    }
}

/// Makes the top an object with properties and without combinators.
pub(super) fn plain(schema: &mut Value, changes: &mut Changes) {
    typed(schema, changes);
    let Some(fields) = schema.as_object_mut() else { return };
    for key in COMBINATORS {
        let Some(parts) = fields.remove(key) else { continue };
        let lost = match key {
            "allOf" => "its parts were put together",
            "anyOf" | "oneOf" => {
                "the properties of its parts are shown side by side, and which of them belong \
                 together is not said"
            }
            _ => "it was left out",
        };
        let message = format!("the provider does not take `{key}` at the top; {lost}");
        changes.push((format!("/{key}"), message));
        if matches!(key, "allOf" | "anyOf" | "oneOf") {
            take_over(fields, &parts, key);
        }
    }
    if !fields.get("properties").is_some_and(Value::is_object) {
        fields.insert("properties".to_owned(), json!({}));
    }
}

fn take_over(fields: &mut Map<String, Value>, parts: &Value, key: &str) {
    for part in parts.as_array().into_iter().flatten().filter_map(Value::as_object) {
        let more = part.get("properties").and_then(Value::as_object);
        let properties = fields.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            for (name, schema) in more.into_iter().flatten() {
                add_property(properties, name, schema);
            }
        }
        // What all parts want is wanted; what one of several wants is not.
        if key == "allOf" {
            require(fields, part.get("required"));
        }
        for inner in ["allOf", "anyOf", "oneOf"] {
            if let Some(parts) = part.get(inner) {
                // Inside a part that need not hold, nothing is wanted.
                take_over(fields, parts, if key == "allOf" { inner } else { key });
            }
        }
    }
}

/// Adds a property; where two parts know it, either of their schemas may hold.
fn add_property(properties: &mut Map<String, Value>, name: &str, schema: &Value) {
    let Some(known) = properties.get_mut(name) else {
        properties.insert(name.to_owned(), schema.clone());
        return;
    };
    if known == schema {
        return;
    }
    let is_union = |known: &Value| {
        known.as_object().is_some_and(|fields| fields.len() == 1 && fields.contains_key("anyOf"))
    };
    if !is_union(known) {
        *known = json!({"anyOf": [known.clone()]});
    }
    if let Some(parts) = known.get_mut("anyOf").and_then(Value::as_array_mut)
        && !parts.contains(schema)
    {
        parts.push(schema.clone());
    }
}

fn require(fields: &mut Map<String, Value>, more: Option<&Value>) {
    let Some(more) = more.and_then(Value::as_array) else { return };
    let required = fields.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        for name in more {
            if !required.contains(name) {
                required.push(name.clone());
            }
        }
    }
}
