//! Writes tools, calls and results for chat completions.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::super::showing::{Definition, Limits, NameRule, fitted, result_text, shown_name};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Strict, Tools};

/// Writes the list `tools` of a request.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::OPENAI, |definitions| {
        let wrapped = |definition: &Definition| {
            let mut wrapped = definition.wrapped();
            if definition.strictness == Strict::On {
                wrapped["function"]["strict"] = Value::Bool(true);
            }
            wrapped
        };
        definitions.iter().map(wrapped).collect()
    })
}

/// Writes the message with the calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let calls: Value = calls
        .iter()
        .enumerate()
        .map(|(number, call)| {
            let own = own_id(number);
            json!({
                "id": call.id.unwrap_or(&own),
                "type": "function",
                "function": {
                    "name": shown_name(call.name, NameRule::DASHED),
                    "arguments": call.arguments.to_string(),
                },
            })
        })
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls}).to_string()
}

/// Writes the messages with the results, as a list.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let messages = results.iter().enumerate().map(|(number, result)| {
        let own = own_id(number);
        json!({
            "role": "tool",
            "tool_call_id": result.id.unwrap_or(&own),
            "content": result_text(result),
        })
    });
    messages.collect::<Value>().to_string()
}

/// Returns the identifier of a call without one, which its result refers to by its place too.
fn own_id(number: usize) -> String {
    format!("call_{number}")
}
