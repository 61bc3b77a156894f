//! The words of a schema that limit one value, in the JSON Schema of today.

use toolsmith_core::{JsonText, Map, Value, json};
use toolsmith_engine::schema::Schema;

/// How many values of an enumeration are kept.
const MOST_VALUES: usize = 200;

/// How many examples of a value are kept.
const MOST_EXAMPLES: usize = 3;

/// Lets a value be null, as older documents say it.
pub(super) fn nullable(words: &Map<String, Value>, made: &mut Map<String, Value>) {
    let says = |word: &str| words.get(word) == Some(&Value::Bool(true));
    if !says("nullable") && !says("x-nullable") {
        return;
    }
    if let Some(Value::String(word)) = made.get("type").cloned() {
        made.insert("type".to_owned(), json!([word, "null"]));
        if let Some(Value::Array(values)) = made.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        return;
    }
    let reference = made.shift_remove("$ref");
    let is_alone = reference.is_some();
    if let Some(reference) = reference {
        made.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
    }
    if let Some(Value::Array(members)) = made.get_mut("anyOf")
        && (is_alone || !members.iter().any(|member| member.get("type") == Some(&json!("null"))))
    {
        members.push(json!({ "type": "null" }));
    }
}

/// Returns the types of a schema that JSON Schema knows.
pub(super) fn types(words: &Map<String, Value>) -> Option<Value> {
    const KNOWN: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];
    let known = |word: &str| KNOWN.iter().find(|known| word.eq_ignore_ascii_case(known)).copied();
    match words.get("type") {
        Some(Value::String(word)) if word == "file" => Some("string".into()),
        Some(Value::String(word)) => known(word).map(Into::into),
        Some(Value::Array(list)) => {
            let mut found: Vec<&str> =
                list.iter().filter_map(Value::as_str).filter_map(known).collect();
            found.dedup();
            let is_distinct =
                found.iter().enumerate().all(|(n, word)| !found.iter().take(n).any(|w| w == word));
            match found.as_slice() {
                [] => None,
                [one] => Some((*one).into()),
                all => is_distinct.then(|| json!(all)),
            }
        }
        None if words.get("properties").is_some_and(Value::is_object) => Some("object".into()),
        None if words.get("items").is_some_and(Value::is_object) => Some("array".into()),
        _ => None,
    }
}

/// Takes over the limits of a value, as far as they can be meant.
pub(super) fn take_over(words: &Map<String, Value>, made: &mut Map<String, Value>) {
    let is_text = made.get("type").is_some_and(|word| word == "string");
    if let Some(values) =
        words.get("enum").and_then(Value::as_array).filter(|v| !v.is_empty() && !too_many(v))
    {
        // `enum: [1, on]` of a text means the texts.
        let as_text = |value: &Value| match value {
            Value::Number(_) | Value::Bool(_) if is_text => value.to_string().into(),
            value => value.clone(),
        };
        made.insert("enum".to_owned(), values.iter().map(as_text).collect());
    }
    if let Some(value) = words.get("const").filter(|value| is_short(value)) {
        made.insert("const".to_owned(), value.clone());
    }
    for word in ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]
    {
        if let Some(number) = words.get(word).and_then(Value::as_u64) {
            made.insert(word.to_owned(), number.into());
        }
    }
    bounds(words, made);
    if let Some(number) = words.get("multipleOf").filter(|n| n.as_f64().is_some_and(|n| n > 0.0)) {
        made.insert("multipleOf".to_owned(), number.clone());
    }
    if words.get("deprecated") == Some(&Value::Bool(true)) {
        made.insert("deprecated".to_owned(), Value::Bool(true));
    }
    if words.get("uniqueItems") == Some(&Value::Bool(true)) {
        made.insert("uniqueItems".to_owned(), Value::Bool(true));
    }
    if let Some(format) = words.get("format").and_then(Value::as_str).filter(|f| f.len() <= 40) {
        made.insert("format".to_owned(), format.into());
    }
    if let Some(pattern) = words.get("pattern").and_then(Value::as_str).filter(|p| is_pattern(p)) {
        made.insert("pattern".to_owned(), pattern.into());
    }
}

/// Takes over examples, wherever documents write them: `example`, a list, or a map with values.
///
/// What may only be one of a few words, or is told already, needs none.
pub(super) fn examples(words: &Value, made: &mut Map<String, Value>) {
    let is_told = ["enum", "const", "examples", "anyOf", "$ref"];
    if is_told.iter().any(|word| made.contains_key(*word)) {
        return;
    }
    let inside = |example: &Value| example.get("value").cloned();
    let found: Vec<Value> = match (words.get("examples"), words.get("example")) {
        (Some(Value::Array(list)), _) => list.clone(),
        (Some(Value::Object(named)), _) => named.values().filter_map(inside).collect(),
        (_, Some(example)) => vec![example.clone()],
        _ => return,
    };
    let mut kept: Vec<Value> = Vec::new();
    for example in found.iter().filter_map(|example| fitting(example, made.get("type"))) {
        if kept.len() < MOST_EXAMPLES && !kept.contains(&example) {
            kept.push(example);
        }
    }
    if !kept.is_empty() {
        made.insert("examples".to_owned(), kept.into());
    }
}

/// Returns an example that has the type it stands for, and is short.
fn fitting(example: &Value, types: Option<&Value>) -> Option<Value> {
    let Some(Value::String(word)) = types else { return None };
    match (word.as_str(), example) {
        ("string", Value::String(text)) if !text.is_empty() && text.len() <= 80 => {
            Some(example.clone())
        }
        // YAML reads dates, versions and codes that nobody quoted as numbers.
        ("string", Value::Number(number)) => Some(number.to_string().into()),
        ("integer", Value::Number(number)) if number.is_i64() || number.is_u64() => {
            Some(example.clone())
        }
        ("number", Value::Number(_)) => Some(example.clone()),
        ("array", Value::Array(items)) if !items.is_empty() && is_brief(example) => {
            Some(example.clone())
        }
        ("object", Value::Object(fields)) if !fields.is_empty() && is_brief(example) => {
            Some(example.clone())
        }
        _ => None,
    }
}

fn is_brief(value: &Value) -> bool {
    value.to_string().len() <= 120
}

/// Limits of numbers: older documents say by a flag that a limit itself does not fit.
fn bounds(words: &Map<String, Value>, made: &mut Map<String, Value>) {
    for (limit, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        let number = words.get(limit).filter(|number| number.is_number());
        match (number, words.get(exclusive)) {
            (Some(number), Some(Value::Bool(true))) => {
                made.insert(exclusive.to_owned(), number.clone())
            }
            (Some(number), Some(Value::Number(other))) => {
                made.insert(exclusive.to_owned(), other.clone().into());
                made.insert(limit.to_owned(), number.clone())
            }
            (Some(number), _) => made.insert(limit.to_owned(), number.clone()),
            (None, Some(Value::Number(other))) => {
                made.insert(exclusive.to_owned(), other.clone().into())
            }
            (None, _) => None,
        };
    }
}

/// Tells whether a pattern can be used as it is: documents write them for many languages.
fn is_pattern(pattern: &str) -> bool {
    let is_quoted = pattern.len() > 1 && pattern.starts_with('/') && pattern.ends_with('/');
    !pattern.is_empty()
        && pattern.len() <= 300
        && !is_quoted
        && Schema::inspect(&JsonText::of(&json!({ "pattern": pattern }))).is_ok()
}

pub(super) fn too_many(values: &[Value]) -> bool {
    values.len() > MOST_VALUES || values.iter().any(|value| !is_short(value))
}

/// Tells whether a value is a word of bearable length.
pub(super) fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= 200,
        Value::Array(items) => items.is_empty(),
        Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        other => other.to_string(),
    }
}
