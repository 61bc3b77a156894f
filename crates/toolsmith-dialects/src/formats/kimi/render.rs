//! Writes tools, calls and results as the template of Kimi K2 does.

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::super::showing::{Definition, Frame, framed_result, instructed};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the message that declares the tools.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    instructed(tools, settings, |definitions| {
        let list: Value = definitions.iter().map(Definition::wrapped).collect();
        let list = list.to_string();
        let list = Frame::TOKENS.keep_json(&list);
        format!("<|im_system|>tool_declare<|im_middle|>{list}<|im_end|>")
    })
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let calls = calls.iter().enumerate().map(|(number, call)| {
        format!(
            "<|tool_call_begin|>functions.{}:{number}<|tool_call_argument_begin|>{}<|tool_call_end|>",
            call.name, call.arguments
        )
    });
    let calls = calls.collect::<Vec<_>>().concat();
    format!("<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>")
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let messages = results.iter().enumerate().map(|(number, result)| {
        let own = format!("functions.{}:{number}", result.name);
        let id = Frame::TOKENS.keep_text(result.id.unwrap_or(&own));
        let output = framed_result(result, Frame::TOKENS);
        format!("<|im_system|>tool<|im_middle|>## Return of {id}\n{output}<|im_end|>")
    });
    messages.collect()
}
