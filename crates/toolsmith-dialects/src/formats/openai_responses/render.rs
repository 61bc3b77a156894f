//! Writes tools, calls and results for responses.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::showing::{Limits, NameRule, fitted, result_text, shown_name};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Strict, Tools};

/// Writes the list `tools` of a request.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::OPENAI, |definitions| {
        let tools = definitions.iter().map(|definition| {
            json!({
                "type": "function",
                "name": definition.name,
                "description": definition.description,
                "parameters": definition.parameters,
                // Strict is what the service takes when nothing is said, and few schemas are.
                "strict": definition.strictness == Strict::On,
            })
        });
        tools.collect()
    })
}

/// Writes the output items with the calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let items: Value = calls
        .iter()
        .enumerate()
        .map(|(number, call)| {
            let own = own_id(number);
            json!({
                "type": "function_call",
                "call_id": call.id.unwrap_or(&own),
                "name": shown_name(call.name, NameRule::DASHED),
                "arguments": call.arguments.to_string(),
            })
        })
        .collect();
    json!({"object": "response", "output": items}).to_string()
}

/// Writes the input items with the results, as a list.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let items = results.iter().enumerate().map(|(number, result)| {
        let own = own_id(number);
        json!({
            "type": "function_call_output",
            "call_id": result.id.unwrap_or(&own),
            "output": result_text(result),
        })
    });
    items.collect::<Value>().to_string()
}

/// Returns the identifier of a call without one, which its result refers to by its place too.
fn own_id(number: usize) -> String {
    format!("call_{number}")
}
