//! Fits input schemas to what a provider takes.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{NameRule, gemini, keys, references, strict, top, wellformed};
use crate::{
    RenderSettings, Strict, Titles,
    guise::{Keys, Reach},
};

/// What a provider takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The names of tools.
    pub(crate) names: NameRule,
    /// The names of parameters, and how deep the provider looks at them.
    pub(crate) keys: Option<(NameRule, Reach)>,
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
    /// All of it but references, which have no place to lead to.
    NoReferences,
    /// An object at the top.
    Object,
    /// The same without combinators beside it, and lists that say what is in them.
    PlainTop,
    /// The same; a strict subset where it is asked for.
    StrictOrPlainTop,
    /// A subset of the schemas of `OpenAPI` 3.0.
    OpenApi,
}

/// Changes of one schema: where, and what.
pub(super) type Changes = Vec<(String, String)>;

/// A schema as a provider takes it, and what a reader must know of the changes.
#[derive(Debug, Default)]
pub(super) struct Fitted {
    /// The schema.
    pub(super) parameters: Value,
    /// Parameters under other names.
    pub(super) keys: Keys,
    /// Parameters for which null means that they are left out.
    pub(super) fillers: HashSet<String>,
    /// Whether the schema is of the strict subset.
    pub(super) strictness: Strict,
}

impl Limits {
    /// No limits but those of tool names everywhere.
    pub(crate) const NONE: Self = Self {
        names: NameRule::FREE,
        keys: None,
        tools: usize::MAX,
        description: usize::MAX,
        schemas: Schemas::Any,
    };
    /// Models that write the names of parameters into tags.
    pub(crate) const TAGGED: Self =
        Self { keys: Some((NameRule::IN_TAG, Reach::Top)), ..Self::NONE };
    /// Models that are shown types instead of schemas.
    pub(crate) const TYPES: Self = Self { schemas: Schemas::NoReferences, ..Self::NONE };
    /// The Model Context Protocol.
    pub(crate) const MCP: Self = Self { schemas: Schemas::Object, ..Self::NONE };
    /// `OpenAI`, chat and responses.
    pub(crate) const OPENAI: Self = Self {
        names: NameRule::DASHED,
        keys: None,
        tools: 128,
        description: 1_024,
        schemas: Schemas::StrictOrPlainTop,
    };
    /// Anthropic, which looks at the names of the topmost parameters only.
    pub(crate) const ANTHROPIC: Self = Self {
        names: NameRule::DASHED,
        keys: Some((NameRule::KEY, Reach::Top)),
        schemas: Schemas::PlainTop,
        ..Self::NONE
    };
    /// Gemini.
    pub(crate) const GEMINI: Self = Self {
        names: NameRule::DOTTED,
        keys: Some((NameRule::WORD, Reach::All)),
        schemas: Schemas::OpenApi,
        ..Self::NONE
    };
}

/// The keys whose members are schemas by name.
pub(super) const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/// The keys whose values are data.
pub(super) const DATA: [&str; 5] = ["enum", "const", "default", "examples", "example"];

/// Fits a schema, and notes what was changed.
pub(super) fn fit(
    schema: Value,
    settings: &RenderSettings,
    limits: &Limits,
    changes: &mut Changes,
) -> Fitted {
    let mut schema = object(schema, changes);
    if settings.titles == Titles::Off {
        drop_titles(&mut schema);
    }
    let mut fitted = Fitted::default();
    let is_any = matches!(limits.schemas, Schemas::Any | Schemas::NoReferences | Schemas::Object);
    if !is_any {
        wellformed::fit(&mut schema, changes);
        references::drop_dangling(&mut schema, changes);
    }
    let has_none = matches!(limits.schemas, Schemas::NoReferences | Schemas::OpenApi);
    if has_none || (!is_any && top::needs_references(&schema)) {
        schema = references::written_out(&schema, changes);
    }
    match limits.schemas {
        Schemas::Any | Schemas::NoReferences => {}
        Schemas::Object => top::typed(&mut schema, changes),
        Schemas::PlainTop | Schemas::StrictOrPlainTop | Schemas::OpenApi => {
            top::plain(&mut schema, changes);
        }
    }
    if let Some((rule, reach)) = limits.keys {
        // A reference by way of a parameter would not find it under its other name.
        if keys::are_illegal(&mut schema, rule, reach) && references::name_properties(&mut schema) {
            schema = references::written_out(&schema, changes);
        }
        fitted.keys = keys::rename(&mut schema, rule, reach, changes);
    }
    if limits.schemas == Schemas::StrictOrPlainTop && settings.strict == Strict::On {
        match strict::fit(&schema) {
            Ok(found) => {
                changes.extend(found.changes);
                let (parameters, fillers) = (found.schema, found.fillers);
                return Fitted { parameters, fillers, strictness: Strict::On, ..fitted };
            }
            Err((path, reason)) => {
                changes.push((path, format!("the tool is shown without strictness: {reason}")));
            }
        }
    }
    fitted.parameters = match limits.schemas {
        Schemas::Any | Schemas::NoReferences | Schemas::Object => schema,
        Schemas::OpenApi => gemini::fit(schema, changes),
        Schemas::PlainTop | Schemas::StrictOrPlainTop => {
            fill_lists(&mut schema, changes);
            schema
        }
    };
    fitted
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
        if DATA.contains(&key.as_str()) {
            continue;
        }
        let path = format!("{path}/{}", escaped(key));
        if NAMED.contains(&key.as_str()) {
            for (name, schema) in value.as_object_mut().into_iter().flatten() {
                each_schema(schema, &format!("{path}/{}", escaped(name)), visit);
            }
        } else if let Value::Array(members) = value {
            for (place, member) in members.iter_mut().enumerate() {
                each_schema(member, &format!("{path}/{place}"), visit);
            }
        } else {
            each_schema(value, &path, visit);
        }
    }
}

/// Returns the members of an object in alphabetical order.
pub(crate) fn ordered(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_unstable_by_key(|(key, _)| *key);
    fields.into_iter()
}

/// Writes a name as a step of a JSON Pointer.
pub(super) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Adds a sentence to the description of a schema.
pub(super) fn describe(fields: &mut Map<String, Value>, sentence: &str) {
    let before = fields.get("description").and_then(Value::as_str).unwrap_or_default();
    let space = if before.is_empty() { "" } else { " " };
    let description = format!("{before}{space}{sentence}");
    fields.insert("description".to_owned(), Value::String(description));
}

fn object(schema: Value, changes: &mut Changes) -> Value {
    if schema.is_object() {
        return schema;
    }
    if schema != Value::Bool(true) {
        let message = "the schema is no object; the tool is shown as one without parameters";
        changes.push((String::new(), message.to_owned()));
    }
    json!({"type": "object"})
}

fn drop_titles(schema: &mut Value) {
    each_schema(schema, "", &mut |fields, _| {
        if fields.get("title").is_some_and(Value::is_string) {
            fields.remove("title");
        }
    });
}

/// Says of lists that do not say what is in them that it may be anything.
fn fill_lists(schema: &mut Value, changes: &mut Changes) {
    each_schema(schema, "", &mut |fields, path| {
        let is_list = match fields.get("type") {
            Some(Value::Array(types)) => types.iter().any(|kind| kind == "array"),
            Some(kind) => kind == "array",
            None => false,
        };
        if is_list && !fields.contains_key("items") {
            fields.insert("items".to_owned(), json!({}));
            changes.push((path.to_owned(), "`items` was added: lists must have it".to_owned()));
        }
    });
}
