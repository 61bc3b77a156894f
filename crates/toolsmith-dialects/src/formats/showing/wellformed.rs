//! Takes out of schemas what is not JSON Schema: providers refuse the whole request for it.

use serde_json::{Map, Value, json};

use super::schema::{Changes, each_schema, escaped};

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];
/// Names of other languages for those types.
const ALIASES: [(&str, &str); 10] = [
    ("str", "string"),
    ("text", "string"),
    ("int", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("bool", "boolean"),
    ("list", "array"),
    ("tuple", "array"),
    ("dict", "object"),
    ("map", "object"),
];

/// Takes out, or puts right, what is not JSON Schema.
pub(super) fn fit(schema: &mut Value, changes: &mut Changes) {
    drop_draft(schema, changes);
    each_schema(schema, "", &mut |fields, path| {
        let mut note = |key: &str, message: String| {
            changes.push((format!("{path}/{}", escaped(key)), message));
        };
        fit_type(fields, &mut note);
        fit_bounds(fields, &mut note);
        fit_items(fields, &mut note);
        fit_properties(fields, &mut note);
        let wrong: Vec<String> = fields
            .iter()
            .filter(|(key, value)| !is_well_formed(key, value))
            .map(|(key, _)| key.clone())
            .collect();
        for key in wrong {
            fields.remove(&key);
            note(&key, format!("the value of `{key}` is not what JSON Schema allows; left out"));
        }
    });
}

/// Leaves out the name of an older draft: all that is kept is the same in the newest.
fn drop_draft(schema: &mut Value, changes: &mut Changes) {
    let Some(fields) = schema.as_object_mut() else { return };
    let draft = fields.get("$schema").and_then(Value::as_str);
    if draft.is_some_and(|draft| !draft.contains("2020-12")) {
        fields.remove("$schema");
        let message = "the provider takes draft 2020-12 only, so no other is named";
        changes.push(("/$schema".to_owned(), message.to_owned()));
    }
}

fn fit_type(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, String)) {
    let types: Vec<Value> = match fields.get("type") {
        None => return,
        Some(Value::Array(types)) => types.clone(),
        Some(kind) => vec![kind.clone()],
    };
    let mut fitted: Vec<&str> = Vec::new();
    let mut odd = Vec::new();
    for kind in &types {
        let name = kind.as_str().unwrap_or_default();
        let known = TYPES.iter().find(|known| **known == name);
        let alias = || ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, known)| known);
        if known.is_none() {
            odd.push(kind.to_string());
        }
        if let Some(known) = known.or_else(alias).filter(|known| !fitted.contains(known)) {
            fitted.push(known);
        }
    }
    let is_list = fields.get("type").is_some_and(Value::is_array);
    if odd.is_empty() && fitted.len() == types.len() {
        return;
    }
    let (shown, now) = match fitted.as_slice() {
        [] => (None, "anything goes there".to_owned()),
        [one] if !is_list => (Some(json!(one)), format!("it is shown as `{one}`")),
        several => (Some(json!(several)), format!("shown as `{}`", several.join("`, `"))),
    };
    match shown {
        None => fields.remove("type"),
        Some(shown) => fields.insert("type".to_owned(), shown),
    };
    let what = if odd.is_empty() { "a type is there twice".to_owned() } else { odd.join(", ") };
    note("type", format!("no type of JSON Schema: {what}; {now}"));
}

/// Writes the bounds of draft 4, which were flags, as the numbers they are since.
fn fit_bounds(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, String)) {
    for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(Value::Bool(is_exclusive)) = fields.get(flag) else { continue };
        let is_exclusive = *is_exclusive;
        fields.remove(flag);
        if let Some(number) = fields.get(bound).filter(|_| is_exclusive).cloned() {
            fields.remove(bound);
            fields.insert(flag.to_owned(), number);
        }
        note(flag, format!("`{flag}` was a flag, as in draft 4; it is a number now"));
    }
}

/// Writes the lists of draft 7, where `items` was a list, as `prefixItems`.
fn fit_items(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, String)) {
    if !fields.get("items").is_some_and(Value::is_array) {
        return;
    }
    if let Some(items) = fields.remove("items") {
        if items.as_array().is_some_and(|items| !items.is_empty()) {
            fields.entry("prefixItems").or_insert(items);
        }
        if let Some(others) = fields.remove("additionalItems") {
            fields.insert("items".to_owned(), others);
        }
        note("items", "a list of `items` is shown as `prefixItems`".to_owned());
    }
}

fn fit_properties(fields: &mut Map<String, Value>, note: &mut impl FnMut(&str, String)) {
    if let Some(required) = fields.get_mut("required").and_then(Value::as_array_mut) {
        let mut kept: Vec<Value> = Vec::new();
        for name in required.iter().filter(|name| name.is_string()) {
            if !kept.contains(name) {
                kept.push(name.clone());
            }
        }
        if kept.len() < required.len() {
            *required = kept;
            note("required", "names that are there twice, or are none, were left out".to_owned());
        }
    }
    for key in ["properties", "$defs", "definitions", "patternProperties"] {
        for (name, member) in
            fields.get_mut(key).and_then(Value::as_object_mut).into_iter().flatten()
        {
            if !is_schema(member) {
                *member = json!({});
                note(&format!("{key}/{name}"), "this is no schema; anything goes there".to_owned());
            }
        }
    }
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn is_well_formed(key: &str, value: &Value) -> bool {
    let is_list_of = |check: fn(&Value) -> bool| {
        value.as_array().is_some_and(|members| !members.is_empty() && members.iter().all(check))
    };
    match key {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependentRequired" | "dependencies" => value.is_object(),
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => is_schema(value),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => is_list_of(is_schema),
        "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
        "required" | "examples" => value.is_array(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => value.is_u64(),
        "uniqueItems" | "nullable" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "title" | "description" | "pattern" | "format" | "$ref" | "$id" | "$schema"
        | "$comment" | "$anchor" => value.is_string(),
        _ => true,
    }
}
