//! The subset of `OpenAPI` 3.0 schemas that Gemini takes.

use serde_json::{Map, Value, json};

use super::{
    merge,
    schema::{Changes, describe, escaped},
};

/// The keys that are taken.
const TAKEN: [&str; 19] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
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
    "propertyOrdering",
];
/// Deeper schemas are cut; the service refuses them as well.
const DEEPEST: usize = 32;

/// Fits a schema whose references are written out and whose names are taken.
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
    let mut note = |key: &str, message: &str| {
        changes.push((format!("{path}/{}", escaped(key)), message.into()));
    };
    if depth > DEEPEST {
        changes.push((path.to_owned(), "the schema is too deep; it was cut here".to_owned()));
        fields.clear();
    } else {
        merge::all_of(&mut fields, &mut note);
        merge::one_of(&mut fields, &mut note);
        fit_union(&mut fields, &mut note);
        fit_constant(&mut fields, &mut note);
        fit_types(&mut fields, &mut note);
        fit_enum(&mut fields, &mut note);
        fit_format(&mut fields, &mut note);
        drop_unknown(&mut fields, &mut note);
        fields = fit_children(fields, path, depth, changes);
    }
    add_type(&mut fields, path, changes);
    fit_list(&mut fields, path, changes);
    fit_required(&mut fields, path, changes);
    stand_alone(&mut fields, path, changes);
    fields
}

fn drop_unknown(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    for key in ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        if let Some(bound) = fields.remove(key) {
            describe(fields, &format!("{key}: {bound}"));
            note(key, "the provider does not take this; it is said in the description");
        }
    }
    let unknown: Vec<String> =
        fields.keys().filter(|key| !TAKEN.contains(&key.as_str())).cloned().collect();
    for key in unknown {
        fields.remove(&key);
        note(&key, "the provider does not know this key; it was left out");
    }
}

fn fit_children(
    fields: Map<String, Value>,
    path: &str,
    depth: usize,
    changes: &mut Changes,
) -> Map<String, Value> {
    let mut fitted = Map::new();
    for (key, value) in fields {
        let here = format!("{path}/{}", escaped(&key));
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => properties
                .into_iter()
                .map(|(name, schema)| {
                    let here = format!("{here}/{}", escaped(&name));
                    (name, fit_value(schema, &here, depth, changes))
                })
                .collect(),
            ("anyOf", Value::Array(parts)) => parts
                .into_iter()
                .enumerate()
                .map(|(place, part)| fit_value(part, &format!("{here}/{place}"), depth, changes))
                .collect(),
            ("items", items) => fit_value(items, &here, depth, changes),
            (_, value) => value,
        };
        fitted.insert(key, value);
    }
    fitted
}

fn fit_value(schema: Value, path: &str, depth: usize, changes: &mut Changes) -> Value {
    let fields = match schema {
        Value::Object(fields) => fields,
        // `true` allows anything.
        _ => Map::new(),
    };
    Value::Object(fit_object(fields, path, depth + 1, changes))
}

/// Takes null out of a union: it is a flag here.
fn fit_union(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(Value::Array(parts)) = fields.get_mut("anyOf") else { return };
    let before = parts.len();
    parts.retain(|part| part.get("type").is_none_or(|kind| kind != "null"));
    let only = (parts.len() < 2).then(|| parts.pop());
    if parts.len() < before && only.as_ref().is_none_or(|_| before > 1) {
        fields.insert("nullable".to_owned(), Value::Bool(true));
        note("anyOf", "null in a union is shown as `nullable`");
    }
    let Some(only) = only else { return };
    fields.remove("anyOf");
    for (key, value) in only.as_ref().and_then(Value::as_object).into_iter().flatten() {
        fields.entry(key.clone()).or_insert_with(|| value.clone());
    }
}

fn fit_constant(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    if let Some(constant) = fields.remove("const") {
        note("const", "`const` is shown as an `enum` of one");
        fields.insert("enum".to_owned(), json!([constant]));
    }
}

/// Shows a list of types as one type that may be null, or as several schemas.
fn fit_types(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let mut types = match fields.get("type") {
        Some(Value::Array(types)) => types.clone(),
        Some(kind) if kind == "null" => vec![kind.clone()],
        _ => return,
    };
    let before = types.len();
    types.retain(|kind| kind != "null");
    if types.len() < before {
        fields.insert("nullable".to_owned(), Value::Bool(true));
    }
    fields.remove("type");
    if types.len() == 1 {
        fields.insert("type".to_owned(), types.swap_remove(0));
    } else if !types.is_empty() {
        let parts = types.iter().map(|kind| json!({ "type": kind })).collect();
        fields.entry("anyOf").or_insert(Value::Array(parts));
    }
    note("type", "a list of types is shown as `nullable` or `anyOf`");
}

/// Only strings can be listed, and no empty ones.
fn fit_enum(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, &str)) {
    let Some(Value::Array(values)) = fields.get("enum") else { return };
    let kind = fields.get("type").and_then(Value::as_str);
    let is_listed = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    if values.iter().all(is_listed) && kind.is_none_or(|kind| kind == "string") {
        fields.insert("type".to_owned(), json!("string"));
        return;
    }
    let listed = values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    let kind = merge::type_of(values);
    fields.remove("enum");
    if !fields.contains_key("type")
        && !fields.contains_key("anyOf")
        && let Some(kind) = kind
    {
        fields.insert("type".to_owned(), kind);
        fit_types(fields, note);
    }
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

/// Every schema must say its type.
fn add_type(fields: &mut Map<String, Value>, path: &str, changes: &mut Changes) {
    if fields.contains_key("type") || fields.contains_key("anyOf") {
        return;
    }
    let kind = match (fields.contains_key("properties"), fields.contains_key("items")) {
        (true, _) => "object",
        (_, true) => "array",
        _ if fields.contains_key("pattern") || fields.contains_key("maxLength") => "string",
        _ => {
            let parts = ["string", "number", "boolean"].map(|kind| json!({ "type": kind }));
            fields.insert("anyOf".to_owned(), json!(parts));
            let message = "the type must be said; anything goes here, and text, numbers and flags \
                           are shown";
            changes.push((path.to_owned(), message.to_owned()));
            return;
        }
    };
    fields.insert("type".to_owned(), json!(kind));
    changes.push((path.to_owned(), format!("the type must be said; it is shown as `{kind}`")));
}

fn fit_list(fields: &mut Map<String, Value>, path: &str, changes: &mut Changes) {
    let kind = fields.get("type").and_then(Value::as_str).map(str::to_owned);
    if kind.as_deref() == Some("array") {
        if !fields.contains_key("items") {
            changes.push((path.to_owned(), "`items` was added: lists must have it".to_owned()));
            fields.insert("items".to_owned(), json!({"type": "string"}));
        }
    } else if fields.remove("items").is_some() {
        let message = "only lists may have `items`; it was left out";
        changes.push((format!("{path}/items"), message.to_owned()));
    }
}

/// Only what an object lists can be required, and no empty list may stand there.
fn fit_required(fields: &mut Map<String, Value>, path: &str, changes: &mut Changes) {
    let is_object = fields.get("type").is_some_and(|kind| kind == "object");
    let properties = fields.get("properties").and_then(Value::as_object);
    let names: Vec<String> =
        properties.filter(|_| is_object).into_iter().flat_map(Map::keys).cloned().collect();
    if names.is_empty() && fields.remove("properties").is_some() && !is_object {
        let message = "only objects may have properties; they were left out";
        changes.push((format!("{path}/properties"), message.to_owned()));
    }
    for key in ["required", "propertyOrdering"] {
        let Some(list) = fields.get_mut(key).and_then(Value::as_array_mut) else { continue };
        let before = list.len();
        list.retain(|name| names.iter().any(|known| name == known));
        if list.len() < before {
            let message = "names that are no properties were left out";
            changes.push((format!("{path}/{key}"), message.to_owned()));
        }
        if list.is_empty() {
            fields.remove(key);
        }
    }
}

/// Moves what stands beside a union into its parts: a union must stand alone.
fn stand_alone(fields: &mut Map<String, Value>, path: &str, changes: &mut Changes) {
    let Some(Value::Array(mut parts)) = fields.remove("anyOf") else { return };
    if !fields.is_empty() {
        let beside = std::mem::take(fields);
        for part in parts.iter_mut().filter_map(Value::as_object_mut) {
            give(part, &beside);
        }
        let message = "a union must stand alone; what stood beside it was moved into its parts";
        changes.push((format!("{path}/anyOf"), message.to_owned()));
    }
    fields.insert("anyOf".to_owned(), Value::Array(parts));
}

/// Gives a part what stands beside the union, as far as it is of its type.
fn give(part: &mut Map<String, Value>, beside: &Map<String, Value>) {
    // A part that is a union itself hands on what it is given.
    if let Some(parts) = part.get_mut("anyOf").and_then(Value::as_array_mut) {
        for part in parts.iter_mut().filter_map(Value::as_object_mut) {
            give(part, beside);
        }
        return;
    }
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    for (key, value) in beside {
        let fits = match key.as_str() {
            "properties" | "required" | "propertyOrdering" => kind == "object",
            "items" | "minItems" | "maxItems" => kind == "array",
            "pattern" | "minLength" | "maxLength" | "enum" | "format" => kind == "string",
            "minimum" | "maximum" => matches!(kind.as_str(), "integer" | "number"),
            _ => true,
        };
        if fits && !part.contains_key(key) {
            part.insert(key.clone(), value.clone());
        }
    }
    if kind == "object" {
        let known = part.get("properties").and_then(Value::as_object);
        let names: Vec<String> = known.into_iter().flat_map(Map::keys).cloned().collect();
        for key in ["required", "propertyOrdering"] {
            if let Some(list) = part.get_mut(key).and_then(Value::as_array_mut) {
                list.retain(|name| names.iter().any(|known| name == known));
                if list.is_empty() {
                    part.remove(key);
                }
            }
        }
    }
}
