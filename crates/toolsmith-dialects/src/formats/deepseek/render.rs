//! Writes tools, calls and results as the templates of `DeepSeek` V3 and V3.1 do.

use toolsmith_core::ToolSpec;

use super::{
    super::showing::{Definition, Frame, framed_result, instructed},
    DeepSeek,
};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the system prompt that shows the tools.
pub(super) fn definitions(
    form: DeepSeek,
    tools: &[&ToolSpec],
    settings: &RenderSettings,
) -> Rendering {
    let sample = one(form, "tool_call_name", "tool_call_arguments");
    instructed(tools, settings, |definitions| {
        let tools: Vec<_> = definitions
            .iter()
            .map(|definition| {
                let Definition { name, description, parameters, .. } = definition;
                let description = Frame::TOKENS.keep_text(description);
                let parameters = parameters.to_string();
                let parameters = Frame::TOKENS.keep_json(&parameters);
                format!("\n### {name}\nDescription: {description}\n\nParameters: {parameters}\n")
            })
            .collect();
        let tools = tools.concat();
        format!(
            "## Tools\nYou have access to the following tools:\n{tools}\nIMPORTANT: ALWAYS adhere to this exact format for tool use:\n\
             <｜tool▁calls▁begin｜>{sample}{{additional_tool_calls}}<｜tool▁calls▁end｜>\n\n\
             Where:\n\n- `tool_call_name` must be an exact match to one of the available tools\n\
             - `tool_call_arguments` must be valid JSON that strictly follows the tool's Parameters \
             Schema\n- For multiple tool calls, chain them directly without separators or spaces"
        )
    })
}

/// Writes calls.
pub(super) fn calls(form: DeepSeek, calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    let mut text = String::from("<｜tool▁calls▁begin｜>");
    for (place, call) in calls.iter().enumerate() {
        if form == DeepSeek::V3 && place > 0 {
            text.push('\n');
        }
        text.push_str(&one(form, call.name, &call.arguments.to_string()));
    }
    text + "<｜tool▁calls▁end｜>"
}

fn one(form: DeepSeek, name: &str, arguments: &str) -> String {
    match form {
        DeepSeek::V3 => format!(
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{arguments}\n```<｜tool▁call▁end｜>"
        ),
        DeepSeek::V31 => {
            format!("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>")
        }
    }
}

/// Writes results.
pub(super) fn results(form: DeepSeek, results: &[ShownResult<'_>]) -> String {
    let outputs: Vec<_> = results
        .iter()
        .map(|result| {
            let output = framed_result(result, Frame::TOKENS);
            format!("<｜tool▁output▁begin｜>{output}<｜tool▁output▁end｜>")
        })
        .collect();
    let outputs = outputs.concat();
    match form {
        DeepSeek::V3 => format!("<｜tool▁outputs▁begin｜>{outputs}<｜tool▁outputs▁end｜>"),
        DeepSeek::V31 => outputs,
    }
}
