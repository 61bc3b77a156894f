//! Writes tools, calls and results as the template of GLM does.

use toolsmith_core::ToolSpec;

use super::super::showing::{Frame, Limits, fitted, framed_result, value_text};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the system prompt that shows the tools.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::TAGGED, |definitions| {
        let lines: Vec<_> = definitions
            .iter()
            .map(|definition| definition.wrapped_text(Frame::TOOL_TAGS))
            .collect();
        format!(
            "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n\
             You are provided with function signatures within <tools></tools> XML tags:\n\
             <tools>\n{}\n</tools>\n\n\
             For each function call, output the function name and arguments within the following \
             XML format:\n<tool_call>{{function-name}}\n<arg_key>{{arg-key-1}}</arg_key>\n\
             <arg_value>{{arg-value-1}}</arg_value>\n<arg_key>{{arg-key-2}}</arg_key>\n\
             <arg_value>{{arg-value-2}}</arg_value>\n...\n</tool_call>",
            lines.join("\n")
        )
        .into()
    })
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], tools: &Tools) -> String {
    let blocks = calls.iter().map(|call| {
        let shape = tools.shape(call.name);
        let mut text = format!("<tool_call>{}\n", call.name);
        for (name, value) in call.arguments.as_object().into_iter().flatten() {
            let wanted = shape.as_ref().and_then(|shape| shape.wanted(name));
            let value = value_text(value, wanted);
            text.extend(["<arg_key>", name, "</arg_key>\n<arg_value>", &value, "</arg_value>\n"]);
        }
        text + "</tool_call>"
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let blocks = results.iter().map(|result| {
        let output = framed_result(result, Frame::TOOL_TAGS);
        format!("<tool_response>\n{output}\n</tool_response>")
    });
    format!("<|observation|>\n{}", blocks.collect::<Vec<_>>().join("\n"))
}
