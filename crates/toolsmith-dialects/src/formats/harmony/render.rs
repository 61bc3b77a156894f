//! Writes tools, calls and results as gpt-oss is shown them.

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::super::showing::{Definition, instructed, result_text};
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
    let mut text = comment(&definition.description);
    let name = &definition.name;
    if definition.properties().next().is_none() {
        text.extend(["type ", name, " = () => any;\n\n"]);
        return text;
    }
    text.extend(["type ", name, " = (_: {\n"]);
    for (key, schema) in definition.properties() {
        text.push_str(&comment(schema.get("description").and_then(Value::as_str).unwrap_or("")));
        let mark = if definition.requires(key) { "" } else { "?" };
        let default = schema.get("default").map(|value| format!(" // default: {value}"));
        let kind = type_of(schema, 0);
        text.extend([key, mark, ": ", &kind, ",", &default.unwrap_or_default(), "\n"]);
    }
    text + "}) => any;\n\n"
}

fn comment(text: &str) -> String {
    text.lines().flat_map(|line| ["// ", line, "\n"]).collect()
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
                .map(|(key, schema)| format!("{key}?: {}", type_of(schema, depth + 1)))
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
            result.name,
            result_text(result)
        )
    });
    messages.collect()
}
