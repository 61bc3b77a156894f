//! Fits input schemas to what a provider takes.

use serde_json::{Map, Value, json};

use super::{NameRule, gemini};
use crate::{RenderSettings, Titles};

/// What a provider takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The names of tools.
    pub(crate) names: NameRule,
    /// The most tools of one request.
    pub(crate) tools: usize,
    /// The most characters of a description.
    pub(crate) description: usize,
    /// What is done to schemas.
    pub(crate) schemas: Schemas,
}

/// How much of JSON Schema a provider takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schemas {
    /// All of it.
    Any,
    /// An object at the top without combinators beside it, and lists that say what is in them.
    PlainTop,
    /// The same, without references, and with plain names of parameters.
    NoReferences,
    /// A subset of the schemas of `OpenAPI` 3.0.
    OpenApi,
}

/// Changes of one schema: where, and what.
pub(super) type Changes = Vec<(String, String)>;

impl Limits {
    /// No limits but those of tool names everywhere.
    pub(crate) const NONE: Self = Self {
        names: NameRule::FREE,
        tools: usize::MAX,
        description: usize::MAX,
        schemas: Schemas::Any,
    };
    /// `OpenAI`, chat and responses.
    pub(crate) const OPENAI: Self = Self {
        names: NameRule::DASHED,
        tools: 128,
        description: 1_024,
        schemas: Schemas::PlainTop,
    };
    /// Anthropic.
    pub(crate) const ANTHROPIC: Self =
        Self { names: NameRule::DASHED, schemas: Schemas::NoReferences, ..Self::NONE };
    /// Gemini.
    pub(crate) const GEMINI: Self =
        Self { names: NameRule::DOTTED, schemas: Schemas::OpenApi, ..Self::NONE };
}

/// The keys whose members are schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// The keys whose values are data.
const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];
/// The keys that no provider takes at the top.
const COMBINATORS: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];
/// The longest name of a parameter.
const LONGEST_KEY: usize = 64;
/// How many schemas are put in the place of references.
///
/// References may go in circles and fork on the way, so a depth alone would bound nothing.
const MOST_INLINED: usize = 2_000;

/// Fits a schema, and notes what was changed.
pub(super) fn fit(
    schema: Value,
    settings: &RenderSettings,
    limits: &Limits,
    changes: &mut Changes,
) -> Value {
    let mut schema = if schema.is_object() { schema } else { json!({"type": "object"}) };
    if settings.titles == Titles::Off {
        each_schema(&mut schema, "", &mut |fields, _| {
            if fields.get("title").is_some_and(Value::is_string) {
                fields.remove("title");
            }
        });
    }
    if limits.schemas == Schemas::Any {
        return schema;
    }
    if limits.schemas != Schemas::PlainTop {
        schema = without_references(&schema, changes);
    }
    plain_top(&mut schema, changes);
    match limits.schemas {
        Schemas::OpenApi => gemini::fit(schema, changes),
        Schemas::NoReferences => {
            drop_keys(&mut schema, changes);
            fill_lists(&mut schema, changes);
            schema
        }
        Schemas::Any | Schemas::PlainTop => {
            fill_lists(&mut schema, changes);
            schema
        }
    }
}

/// Visits a schema and all schemas in it, with their places as JSON Pointers.
pub(super) fn each_schema(
    schema: &mut Value,
    path: &str,
    visit: &mut dyn FnMut(&mut Map<String, Value>, &str),
) {
    let Some(fields) = schema.as_object_mut() else { return };
    visit(fields, path);
    for (key, value) in fields.iter_mut() {
        let path = format!("{path}/{key}");
        if NAMED.contains(&key.as_str()) {
            for (name, schema) in value.as_object_mut().into_iter().flatten() {
                each_schema(schema, &format!("{path}/{}", escaped(name)), visit);
            }
        } else if let Value::Array(members) = value {
            for (place, member) in members.iter_mut().enumerate() {
                if !DATA.contains(&key.as_str()) {
                    each_schema(member, &format!("{path}/{place}"), visit);
                }
            }
        } else if !DATA.contains(&key.as_str()) {
            each_schema(value, &path, visit);
        }
    }
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Makes the top an object with properties and without combinators.
fn plain_top(schema: &mut Value, changes: &mut Changes) {
    let Some(fields) = schema.as_object_mut() else { return };
    for key in COMBINATORS {
        let Some(parts) = fields.remove(key) else { continue };
        let message = format!(
            "`{key}` is not allowed at the top; its properties were taken over as optional ones"
        );
        changes.push((format!("/{key}"), message));
        if matches!(key, "not" | "enum") {
            continue;
        }
        for part in parts.as_array().into_iter().flatten() {
            take_over(fields, part, key);
        }
    }
    fields.insert("type".to_owned(), json!("object"));
    fields.entry("properties").or_insert_with(|| json!({}));
}

fn take_over(fields: &mut Map<String, Value>, part: &Value, key: &str) {
    let properties = fields.entry("properties").or_insert_with(|| json!({}));
    if let (Some(properties), Some(more)) =
        (properties.as_object_mut(), part.get("properties").and_then(Value::as_object))
    {
        for (name, schema) in more {
            properties.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
    // What all parts want is wanted; what one of several wants is not.
    if let (true, Some(more)) = (key == "allOf", part.get("required").and_then(Value::as_array)) {
        let required = fields.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.extend(more.iter().cloned());
            required.dedup();
        }
    }
}

/// Leaves out parameters whose names the provider does not take.
fn drop_keys(schema: &mut Value, changes: &mut Changes) {
    let is_legal = |name: &str| {
        (1..=LONGEST_KEY).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
    };
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_some_and(is_legal));
    }
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    properties.retain(|name, _| {
        if !is_legal(name) {
            let message = format!("the provider does not take `{name}` as a name; it was left out");
            changes.push((format!("/properties/{}", escaped(name)), message));
        }
        is_legal(name)
    });
}

/// Says of lists that do not say what is in them that it may be anything.
fn fill_lists(schema: &mut Value, changes: &mut Changes) {
    each_schema(schema, "", &mut |fields, path| {
        let is_list = fields.get("type").is_some_and(|kind| kind == "array");
        if is_list && !fields.contains_key("items") && !fields.contains_key("prefixItems") {
            fields.insert("items".to_owned(), json!({}));
            changes.push((path.to_owned(), "`items` was added: lists must have it".to_owned()));
        }
    });
}

/// Puts schemas in the place of the references to them.
fn without_references(schema: &Value, changes: &mut Changes) -> Value {
    let mut budget = MOST_INLINED;
    let mut inlined = inline(schema, schema, "", &mut Vec::new(), (&mut budget, changes));
    if let Some(fields) = inlined.as_object_mut() {
        fields.remove("$defs");
        fields.remove("definitions");
    }
    inlined
}

fn inline(
    schema: &Value,
    root: &Value,
    path: &str,
    open: &mut Vec<String>,
    (budget, changes): (&mut usize, &mut Changes),
) -> Value {
    match schema {
        Value::Array(members) => members
            .iter()
            .map(|member| inline(member, root, path, open, (&mut *budget, &mut *changes)))
            .collect(),
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                let target = reference.strip_prefix('#').and_then(|place| root.pointer(place));
                let is_circle = open.iter().any(|other| other == reference);
                let (Some(target), false, Some(left)) = (target, is_circle, budget.checked_sub(1))
                else {
                    let message =
                        format!("`{reference}` cannot be written out; anything goes there");
                    changes.push((path.to_owned(), message));
                    return json!({});
                };
                *budget = left;
                changes.push((path.to_owned(), format!("`{reference}` was written out")));
                open.push(reference.to_owned());
                let mut whole = inline(target, root, path, open, (&mut *budget, &mut *changes));
                open.pop();
                // What stands beside a reference holds too: mostly a description.
                if let Some(whole) = whole.as_object_mut() {
                    for (key, value) in fields.iter().filter(|(key, _)| *key != "$ref") {
                        whole.insert(key.clone(), value.clone());
                    }
                }
                return whole;
            }
            fields
                .iter()
                .filter(|(key, _)| {
                    !(path.is_empty() && matches!(key.as_str(), "$defs" | "definitions"))
                })
                .map(|(key, value)| {
                    let path = format!("{path}/{}", escaped(key));
                    let value = if DATA.contains(&key.as_str()) {
                        value.clone()
                    } else {
                        inline(value, root, &path, open, (&mut *budget, &mut *changes))
                    };
                    (key.clone(), value)
                })
                .collect()
        }
        other => other.clone(),
    }
}
