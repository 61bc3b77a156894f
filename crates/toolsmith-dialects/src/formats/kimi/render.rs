//! Writes tools, calls and results as the template of Kimi K2 does.

use std::borrow::Cow;

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::{
    super::showing::{Definition, Frame, framed_result, instructed},
    parse::head,
};
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
            "<|tool_call_begin|>{}<|tool_call_argument_begin|>{}<|tool_call_end|>",
            identifier(call.id, call.name, number),
            call.arguments
        )
    });
    let calls = calls.collect::<Vec<_>>().concat();
    format!("<|tool_calls_section_begin|>{calls}<|tool_calls_section_end|>")
}

/// Writes results.
pub(super) fn results(results: &[ShownResult<'_>]) -> String {
    let messages = results.iter().enumerate().map(|(number, result)| {
        let id = identifier(result.id, result.name, number);
        let id = Frame::TOKENS.keep_text(&id);
        let output = framed_result(result, Frame::TOKENS);
        format!("<|im_system|>tool<|im_middle|>## Return of {id}\n{output}<|im_end|>")
    });
    messages.collect()
}

/// Returns the identifier that the model gave, where it leads to the tool, or makes one.
///
/// Calls and results must agree, and those of other providers name no tool.
fn identifier<'a>(id: Option<&'a str>, name: &str, number: usize) -> Cow<'a, str> {
    match id.filter(|id| head(id, "").name == name) {
        Some(id) => Cow::Borrowed(id),
        None => Cow::Owned(format!("functions.{name}:{number}")),
    }
}
