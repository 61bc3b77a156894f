//! Writes tools, calls and results as the Hermes and Qwen templates do.

use serde_json::json;
use toolsmith_core::ToolSpec;

use super::super::showing::{Frame, framed_result, instructed, python_json};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the system prompt that shows the tools.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    instructed(tools, settings, |definitions| {
        let lines: Vec<_> = definitions
            .iter()
            .map(|definition| definition.wrapped_text(Frame::TOOL_TAGS))
            .collect();
        format!(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n\
             You are provided with function signatures within <tools></tools> XML tags:\n\
             <tools>\n{}\n</tools>\n\n\
             For each function call, return a json object with function name and arguments \
             within <tool_call></tool_call> XML tags:\n\
             <tool_call>\n{{\"name\": <function-name>, \"arguments\": <args-json-object>}}\n\
             </tool_call>",
            lines.join("\n")
        )
    })
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let blocks = calls.iter().map(|call| {
        let object = json!({"name": call.name, "arguments": call.arguments});
        format!("<tool_call>\n{}\n</tool_call>", python_json(&object))
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let blocks = results.iter().map(|result| {
        let output = framed_result(result, Frame::TOOL_TAGS);
        format!("<tool_response>\n{output}\n</tool_response>")
    });
    blocks.collect::<Vec<_>>().join("\n")
}
