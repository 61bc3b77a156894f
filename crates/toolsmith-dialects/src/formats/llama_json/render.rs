//! Writes tools, calls and results as the template of Llama 3 does.

use serde_json::json;
use toolsmith_core::ToolSpec;

use super::super::showing::{Frame, framed_result, instructed, python_json};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the prompt that shows the tools.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    instructed(tools, settings, |definitions| {
        let lines: Vec<_> =
            definitions.iter().map(|definition| definition.wrapped_text(Frame::TOKENS)).collect();
        format!(
            "Given the following functions, please respond with a JSON for a function call with \
             its proper arguments that best answers the given prompt.\n\n\
             Respond in the format {{\"name\": function name, \"parameters\": dictionary of \
             argument name and its value}}. Do not use variables.\n\n{}",
            lines.join("\n\n")
        )
    })
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let objects = calls
        .iter()
        .map(|call| python_json(&json!({"name": call.name, "parameters": call.arguments})));
    format!("<|python_tag|>{}", objects.collect::<Vec<_>>().join(";"))
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let messages = results.iter().map(|result| {
        let output = framed_result(result, Frame::TOKENS);
        format!("<|start_header_id|>ipython<|end_header_id|>\n\n{output}<|eot_id|>")
    });
    messages.collect()
}
