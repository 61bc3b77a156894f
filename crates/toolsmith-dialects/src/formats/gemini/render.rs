//! Writes tools, calls and results for Gemini.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::showing::{Limits, NameRule, fitted, shown_name};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the list `tools` of a request.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::GEMINI, |definitions| {
        let functions: Value = definitions
            .iter()
            .map(|definition| {
                let mut function = definition.function();
                // A function without parameters says so by leaving the schema out.
                if definition.properties().next().is_none()
                    && let Some(fields) = function.as_object_mut()
                {
                    fields.remove("parameters");
                }
                function
            })
            .collect();
        json!([{ "functionDeclarations": functions }])
    })
}

/// Writes the content with the calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let parts = calls.iter().map(|call| {
        let mut part = json!({
            "functionCall": {
                "name": shown_name(call.name, NameRule::DOTTED),
                "args": call.arguments,
            },
        });
        if let Some(id) = call.id {
            part["functionCall"]["id"] = json!(id);
        }
        part
    });
    json!({"role": "model", "parts": parts.collect::<Value>()}).to_string()
}

/// Writes the content with the results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let parts = results.iter().map(|result| {
        let response = match result.result {
            Ok(object @ Value::Object(_)) => object.clone(),
            Ok(output) => json!({ "result": output }),
            Err(message) => json!({ "error": message }),
        };
        let name = shown_name(result.name, NameRule::DOTTED);
        let mut part = json!({"functionResponse": {"name": name, "response": response}});
        if let Some(id) = result.id {
            part["functionResponse"]["id"] = json!(id);
        }
        part
    });
    json!({"role": "user", "parts": parts.collect::<Value>()}).to_string()
}
