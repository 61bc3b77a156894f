//! What providers take, written down from their documents and from what they answer.
//!
//! It shares nothing with the renderers, so that a mistake in them is seen here.

use std::collections::HashSet;

use serde_json::{Map, Value};
use toolsmith_dialects::{Dialect, Rendering};

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];
/// The keys of a schema that Gemini takes.
const GEMINI_KEYS: &str = "type format title description nullable enum default items minItems \
    maxItems properties required minimum maximum minLength maxLength pattern anyOf propertyOrdering";
/// The keys of a strict schema.
const STRICT_KEYS: &str = "type title description enum const anyOf properties required items \
    additionalProperties pattern format multipleOf minimum maximum exclusiveMinimum \
    exclusiveMaximum minItems maxItems";
/// The formats of a strict schema.
const STRICT_FORMATS: &str = "date-time time date duration email hostname ipv4 ipv6 uuid";

/// Returns the definitions of a dialect: the name, the description and the schema of each tool.
pub(crate) fn shown_tools(
    dialect: Dialect,
    shown: &Rendering,
) -> Vec<(&str, &str, Option<&Value>)> {
    let (list, tool, schema) = match dialect {
        Dialect::OpenAiChat => (&shown.content, "/function", "parameters"),
        Dialect::OpenAiResponses => (&shown.content, "", "parameters"),
        Dialect::Anthropic => (&shown.content, "", "input_schema"),
        Dialect::Gemini => (&shown.content[0]["functionDeclarations"], "", "parameters"),
        Dialect::Mcp => (&shown.content, "", "inputSchema"),
        _ => return Vec::new(),
    };
    let list = list.as_array().unwrap().iter().map(|entry| entry.pointer(tool).unwrap());
    list.map(|tool| {
        (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap(), tool.get(schema))
    })
    .collect()
}

/// Returns what a provider would refuse.
pub(crate) fn refusals(dialect: Dialect, shown: &Rendering) -> Vec<String> {
    let mut refusals = Vec::new();
    let tools = shown_tools(dialect, shown);
    let mut names = HashSet::new();
    for (place, (name, description, schema)) in tools.iter().enumerate() {
        let mut wrong = Vec::new();
        check_name(dialect, name, &mut wrong);
        if !names.insert(name) {
            wrong.push("the name is there twice".to_owned());
        }
        if matches!(dialect, Dialect::OpenAiChat | Dialect::OpenAiResponses)
            && description.chars().count() > 1_024
        {
            wrong.push("the description is too long".to_owned());
        }
        match schema {
            None if dialect == Dialect::Gemini => {}
            None => wrong.push("there is no schema".to_owned()),
            Some(schema) => check_schema(dialect, is_strict(shown, place), schema, &mut wrong),
        }
        refusals.extend(wrong.iter().map(|wrong| format!("{dialect} {name}: {wrong}")));
    }
    refusals
}

fn is_strict(shown: &Rendering, place: usize) -> bool {
    let tool = &shown.content[place];
    tool["strict"] == true || tool["function"]["strict"] == true
}

fn check_name(dialect: Dialect, name: &str, wrong: &mut Vec<String>) {
    let others = match dialect {
        Dialect::Gemini | Dialect::Mcp => "_-.",
        _ => "_-",
    };
    let is_legal = (1..=64).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
        && (dialect != Dialect::Gemini
            || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    if !is_legal {
        wrong.push("the name is not allowed".to_owned());
    }
}

fn check_schema(dialect: Dialect, is_strict: bool, schema: &Value, wrong: &mut Vec<String>) {
    if schema["type"] != "object" {
        wrong.push("the top is no object".to_owned());
    }
    if dialect == Dialect::Mcp {
        return;
    }
    for key in ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"] {
        if schema.get(key).is_some() {
            wrong.push(format!("{key} stands at the top"));
        }
    }
    match dialect {
        Dialect::Gemini => check_gemini(schema, "", wrong),
        _ if is_strict => check_strict(schema, "", 0, wrong),
        _ => {
            if !schema["properties"].is_object() {
                wrong.push("there are no properties at the top".to_owned());
            }
            let draft = schema.get("$schema").and_then(Value::as_str);
            if draft.is_some_and(|draft| !draft.contains("2020-12")) {
                wrong.push("another draft is named".to_owned());
            }
            check_draft(schema, schema, "", wrong);
        }
    }
    if dialect == Dialect::Anthropic {
        for key in schema["properties"].as_object().into_iter().flat_map(Map::keys) {
            let is_legal = (1..=64).contains(&key.len())
                && key.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
            if !is_legal {
                wrong.push(format!("the property {key:?} is not allowed"));
            }
        }
    }
}

/// Checks what JSON Schema 2020-12 says of schemas, and that lists have items.
fn check_draft(schema: &Value, root: &Value, path: &str, wrong: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        if !schema.is_boolean() {
            wrong.push(format!("{path} is no schema"));
        }
        return;
    };
    let is_type = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    for (key, value) in fields {
        let here = format!("{path}/{key}");
        let is_right = match key.as_str() {
            "type" => is_type(value) || is_set(value, is_type),
            "required" => value == &Value::Array(Vec::new()) || is_set(value, Value::is_string),
            "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
            "properties" | "$defs" | "definitions" | "patternProperties" => {
                for (name, member) in value.as_object().into_iter().flatten() {
                    check_draft(member, root, &format!("{here}/{name}"), wrong);
                }
                value.is_object()
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                for member in value.as_array().into_iter().flatten() {
                    check_draft(member, root, &here, wrong);
                }
                value.as_array().is_some_and(|members| !members.is_empty())
            }
            "items" | "not" | "additionalProperties" => {
                check_draft(value, root, &here, wrong);
                true
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
            "minLength" | "maxLength" | "minItems" | "maxItems" => value.is_u64(),
            "description" | "pattern" | "format" => value.is_string(),
            "$ref" => value.as_str().is_some_and(|reference| {
                reference.strip_prefix('#').is_some_and(|place| root.pointer(place).is_some())
            }),
            _ => true,
        };
        if !is_right {
            wrong.push(format!("{here} is {value}"));
        }
    }
    let may_be_list = |kind: &Value| {
        kind == "array" || kind.as_array().is_some_and(|k| k.contains(&"array".into()))
    };
    if fields.get("type").is_some_and(may_be_list) && !fields.contains_key("items") {
        wrong.push(format!("{path} is a list without items"));
    }
}

fn is_set(value: &Value, check: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|members| {
        let is_new = |(place, member)| !members[..place].contains(member);
        !members.is_empty() && members.iter().all(check) && members.iter().enumerate().all(is_new)
    })
}

fn check_gemini(schema: &Value, path: &str, wrong: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        return wrong.push(format!("{path} is no schema"));
    };
    for key in fields.keys() {
        if !GEMINI_KEYS.split_whitespace().any(|known| known == key) {
            wrong.push(format!("{path} has {key}"));
        }
    }
    let kind = fields.get("type").map(|kind| kind.as_str().unwrap_or("a list"));
    match kind {
        None if !fields.contains_key("anyOf") => wrong.push(format!("{path} has no type")),
        Some(kind) if !TYPES[..6].contains(&kind) => wrong.push(format!("{path} is {kind}")),
        _ => {}
    }
    if fields.contains_key("anyOf") && fields.len() > 1 {
        wrong.push(format!("{path} has {:?} beside a union", fields.keys().collect::<Vec<_>>()));
    }
    for part in fields.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        check_gemini(part, &format!("{path}/anyOf"), wrong);
    }
    if (kind == Some("array")) != fields.contains_key("items") {
        wrong.push(format!("{path} has items, or is a list without them"));
    }
    if let Some(items) = fields.get("items") {
        check_gemini(items, &format!("{path}/items"), wrong);
    }
    let listed = fields.get("enum").and_then(Value::as_array);
    if listed.is_some_and(|listed| {
        kind != Some("string")
            || !listed.iter().all(|value| value.as_str().is_some_and(|v| !v.is_empty()))
    }) {
        wrong.push(format!("{path} lists what is no text"));
    }
    let properties = fields.get("properties").and_then(Value::as_object);
    if properties.is_some_and(|properties| kind != Some("object") || properties.is_empty()) {
        wrong.push(format!("{path} has properties and is no object, or has none"));
    }
    for (name, property) in properties.into_iter().flatten() {
        let is_legal = name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_legal {
            wrong.push(format!("{path} has the property {name:?}"));
        }
        check_gemini(property, &format!("{path}/{name}"), wrong);
    }
    for name in fields.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !properties.is_some_and(|properties| properties.contains_key(name.as_str().unwrap())) {
            wrong.push(format!("{path} requires {name}, which is not there"));
        }
    }
}

fn check_strict(schema: &Value, path: &str, depth: usize, wrong: &mut Vec<String>) {
    let Some(fields) = schema.as_object() else {
        return wrong.push(format!("{path} is no schema"));
    };
    for key in fields.keys() {
        if !STRICT_KEYS.split_whitespace().any(|known| known == key) {
            wrong.push(format!("{path} has {key}"));
        }
    }
    let is_type = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    match fields.get("type") {
        None if fields.contains_key("anyOf") => {}
        Some(kind) if is_type(kind) || is_set(kind, is_type) => {}
        kind => wrong.push(format!("{path} is {kind:?}")),
    }
    let format = fields.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| !STRICT_FORMATS.split_whitespace().any(|known| known == format))
    {
        wrong.push(format!("{path} has an unknown format"));
    }
    let has_type = |name: &str| match fields.get("type") {
        Some(Value::Array(types)) => types.iter().any(|kind| kind == name),
        Some(kind) => kind == name,
        None => false,
    };
    for part in fields.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        check_strict(part, &format!("{path}/anyOf"), depth, wrong);
    }
    if has_type("array") {
        check_strict(&schema["items"], &format!("{path}/items"), depth, wrong);
    }
    if has_type("object") {
        if depth >= 10 {
            wrong.push(format!("{path} is too deep"));
        }
        let names: Vec<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let required: Vec<&str> =
            schema["required"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        if schema["additionalProperties"] != false || names != required {
            wrong.push(format!("{path} leaves something open: {names:?}, {required:?}"));
        }
        for (name, property) in schema["properties"].as_object().unwrap() {
            check_strict(property, &format!("{path}/{name}"), depth + 1, wrong);
        }
    }
}
