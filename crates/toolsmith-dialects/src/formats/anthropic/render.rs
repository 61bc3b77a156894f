//! Writes tools, calls and results for messages.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::showing::{Limits, NameRule, fitted, pretty_output, shown_name};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the list `tools` of a request.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::ANTHROPIC, |definitions| {
        let tools = definitions.iter().map(|definition| {
            json!({
                "name": definition.name,
                "description": definition.description,
                "input_schema": definition.parameters,
            })
        });
        tools.collect()
    })
}

/// Writes the message with the calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let blocks: Value = calls
        .iter()
        .enumerate()
        .map(|(number, call)| {
            let own = own_id(number);
            json!({
                "type": "tool_use",
                "id": call.id.unwrap_or(&own),
                "name": shown_name(call.name, NameRule::DASHED),
                "input": call.arguments,
            })
        })
        .collect();
    json!({"role": "assistant", "content": blocks}).to_string()
}

/// Writes the message with the results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let blocks = results.iter().enumerate().map(|(number, result)| {
        let own = own_id(number);
        let (content, is_error) = match result.result {
            Ok(output) => (pretty_output(output), false),
            Err(message) => (message.to_owned(), true),
        };
        json!({
            "type": "tool_result",
            "tool_use_id": result.id.unwrap_or(&own),
            "content": content,
            "is_error": is_error,
        })
    });
    json!({"role": "user", "content": blocks.collect::<Value>()}).to_string()
}

/// Returns the identifier of a call without one, which its result refers to by its place too.
fn own_id(number: usize) -> String {
    format!("toolu_{number}")
}
