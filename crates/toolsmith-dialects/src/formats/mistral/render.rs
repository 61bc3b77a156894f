//! Writes tools, calls and results as the templates of Mistral do.

use serde_json::{Value, json};
use toolsmith_core::ToolSpec;

use super::{
    super::showing::{Frame, framed_result, instructed, python_json, result_text},
    Mistral,
};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the prompt that shows the tools.
pub(super) fn definitions(
    _form: Mistral,
    tools: &[&ToolSpec],
    settings: &RenderSettings,
) -> Rendering {
    instructed(tools, settings, |definitions| {
        let list = definitions.iter().map(|definition| definition.wrapped_text(Frame::BRACKETS));
        let list = list.collect::<Vec<_>>().join(", ");
        format!("[AVAILABLE_TOOLS][{list}][/AVAILABLE_TOOLS]")
    })
}

/// Writes calls.
pub(super) fn calls(form: Mistral, calls: &[ShownCall<'_>], _tools: &Tools) -> String {
    match form {
        Mistral::List => {
            let list: Value = calls.iter().enumerate().map(object).collect();
            format!("[TOOL_CALLS]{}", python_json(&list))
        }
        Mistral::Compact => calls.iter().map(compact).collect(),
    }
}

fn object((number, call): (usize, &ShownCall<'_>)) -> Value {
    let own = own_id(number);
    let id = call.id.unwrap_or(&own);
    json!({"name": call.name, "arguments": call.arguments, "id": id})
}

/// Returns the identifier of a call without one, which its result refers to by its place too.
fn own_id(number: usize) -> String {
    format!("call_{number}")
}

/// Writes a call; the later templates have no identifiers, so none is made up.
fn compact(call: &ShownCall<'_>) -> String {
    let id = call.id.map(|id| format!("[CALL_ID]{id}")).unwrap_or_default();
    format!("[TOOL_CALLS]{}{id}[ARGS]{}", call.name, python_json(call.arguments))
}

/// Writes results.
pub(super) fn results(form: Mistral, results: &[ShownResult<'_>]) -> String {
    let blocks = results.iter().enumerate().map(|(number, result)| {
        let own = own_id(number);
        let id = result.id.unwrap_or(&own);
        match form {
            Mistral::List => {
                let object = json!({"content": result_text(result), "call_id": id});
                let object = python_json(&object);
                format!("[TOOL_RESULTS]{}[/TOOL_RESULTS]", Frame::BRACKETS.keep_json(&object))
            }
            Mistral::Compact => {
                let id = Frame::BRACKETS.keep_text(id);
                let output = framed_result(result, Frame::BRACKETS);
                format!("[TOOL_RESULTS]{id}[TOOL_CONTENT]{output}[/TOOL_RESULTS]")
            }
        }
    });
    blocks.collect()
}
