//! Writes tools, calls and results as gpt-oss is shown them.

use std::borrow::Cow;

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::super::showing::{Definition, Frame, framed_result, instructed};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// The deepest type that is written out.
const DEEPEST: usize = 8;

/// Writes the part of the developer message that shows the tools, as TypeScript types.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    instructed(tools, settings, |definitions| {
        let functions: String = definitions.iter().map(function).collect();
        format!(
            "# Tools\n\n## functions\n\nnamespace functions {{\n\n{functions}}} // namespace functions"
        )
    })
}

fn function(definition: &Definition) -> String {
    let mut text = comment(&Frame::TOKENS.keep_text(&definition.description));
    let name = &definition.name;
    if definition.properties().next().is_none() {
        text.extend(["type ", name, " = () => any;\n\n"]);
        return text;
    }
    text.extend(["type ", name, " = (_: {\n"]);
    for (key, schema) in definition.properties() {
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        text.push_str(&comment(&Frame::TOKENS.keep_text(description)));
        let mark = if definition.requires(key) { "" } else { "?" };
        let default = schema.get("default").map(|value| {
            let value = value.to_string();
            format!(" // default: {}", Frame::TOKENS.keep_json(&value))
        });
        let (key, kind) = (name_of(key), type_of(schema, 0));
        let kind = Frame::TOKENS.keep_json(&kind);
        text.extend([&*key, mark, ": ", &kind, ",", &default.unwrap_or_default(), "\n"]);
    }
    text + "}) => any;\n\n"
}

fn comment(text: &str) -> String {
    text.lines().flat_map(|line| ["// ", line, "\n"]).collect()
}

/// Writes a name; one that is no TypeScript name stands in quotes.
fn name_of(key: &str) -> Cow<'_, str> {
    let is_name = key.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && key.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if is_name {
        return Cow::Borrowed(key);
    }
    let quoted = Value::from(key).to_string();
    Cow::Owned(Frame::TOKENS.keep_json(&quoted).into_owned())
}

fn type_of(schema: &Value, depth: usize) -> String {
    if depth > DEEPEST {
        return "any".to_owned();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(parts) = schema.get(key).and_then(Value::as_array) {
            return parts
                .iter()
                .map(|part| type_of(part, depth + 1))
                .collect::<Vec<_>>()
                .join(" | ");
        }
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().map(|kind| named(kind.as_str().unwrap_or(""), schema, depth));
            kinds.collect::<Vec<_>>().join(" | ")
        }
        Some(Value::String(kind)) => named(kind, schema, depth),
        _ => "any".to_owned(),
    }
}

fn named(kind: &str, schema: &Value, depth: usize) -> String {
    match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let items = schema.get("items").map(|items| type_of(items, depth + 1));
            let items = items.unwrap_or_else(|| "any".to_owned());
            if items.contains(' ') { format!("Array<{items}>") } else { format!("{items}[]") }
        }
        "object" => {
            let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
            let fields: Vec<_> = fields
                .map(|(key, schema)| format!("{}?: {}", name_of(key), type_of(schema, depth + 1)))
                .collect();
            if fields.is_empty() {
                "object".to_owned()
            } else {
                format!("{{ {} }}", fields.join(", "))
            }
        }
        _ => "any".to_owned(),
    }
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let messages = calls.iter().map(|call| {
        format!(
            "<|channel|>commentary to=functions.{} <|constrain|>json<|message|>{}<|call|>",
            call.name, call.arguments
        )
    });
    messages.collect::<Vec<_>>().join("<|start|>assistant")
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let messages = results.iter().map(|result| {
        format!(
            "<|start|>functions.{} to=assistant<|channel|>commentary<|message|>{}<|end|>",
            Frame::TOKENS.keep_text(result.name),
            framed_result(result, Frame::TOKENS)
        )
    });
    messages.collect()
}
