//! Writes tools, calls and results as gpt-oss is shown them.

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::{
    super::showing::{Definition, Frame, Limits, fitted, framed_result},
    types,
};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the developer message that shows the tools, as TypeScript types.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::TYPES, |definitions| {
        let functions: String = definitions.iter().map(function).collect();
        format!(
            "# Tools\n\n## functions\n\nnamespace functions {{\n\n{functions}}} // namespace functions"
        )
        .into()
    })
}

fn function(definition: &Definition) -> String {
    let (name, schema) = (&definition.name, &definition.parameters);
    let mut text = types::comment(&definition.description);
    let remark = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.push_str(&types::comment(remark));
    text.push_str(&types::remarks(schema, "", 0));
    let members = types::members(schema, 0);
    if members.is_empty() {
        text.extend(["type ", name, " = () => any;\n\n"]);
    } else {
        text.extend(["type ", name, " = (_: {\n", &members, "}) => any;\n\n"]);
    }
    // In comments and strings alike the escape reads as what it stands for.
    Frame::TOKENS.keep_json(&text).into_owned()
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
