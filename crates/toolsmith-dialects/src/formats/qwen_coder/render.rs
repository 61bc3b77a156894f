//! Writes tools, calls and results as the template of Qwen3-Coder does.

use serde_json::Value;
use toolsmith_core::ToolSpec;

use super::super::showing::{
    Definition, Frame, Limits, fitted, framed_output, framed_result, value_text,
};
use crate::{RenderSettings, Rendering, ShownCall, ShownResult, Tools};

/// Writes the part of the system prompt that shows the tools.
pub(super) fn definitions(tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    fitted(tools, settings, &Limits::TAGGED, |definitions| {
        let functions: String = definitions.iter().map(function).collect();
        format!(
            "# Tools\n\nYou have access to the following functions:\n\n<tools>{functions}\n\
             </tools>\n\nIf you choose to call a function ONLY reply in the following format with \
             NO suffix:\n\n<tool_call>\n<function=example_function_name>\n\
             <parameter=example_parameter_1>\nvalue_1\n</parameter>\n\
             <parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can \
             span\nmultiple lines\n</parameter>\n</function>\n</tool_call>\n\n\
             Function calls must follow this format exactly, and required parameters must be given."
        )
        .into()
    })
}

fn function(definition: &Definition) -> String {
    let mut text = format!(
        "\n<function>\n<name>{}</name>\n<description>{}</description>\n<parameters>",
        definition.name,
        Frame::TOOL_LIST.keep_text(&definition.description)
    );
    for (name, schema) in definition.properties() {
        text.extend(["\n<parameter>\n<name>", name, "</name>"]);
        for (key, value) in schema.as_object().into_iter().flatten() {
            push_key(&mut text, key, value);
        }
        text.push_str("\n</parameter>");
    }
    // What else the schema says: what is required, definitions that are referred to.
    for (key, value) in definition.parameters.as_object().into_iter().flatten() {
        if !matches!(key.as_str(), "type" | "properties") && !is_empty(value) {
            push_key(&mut text, key, value);
        }
    }
    text + "\n</parameters>\n</function>"
}

fn push_key(text: &mut String, key: &str, value: &Value) {
    let key = Frame::TOOL_LIST.keep_text(key);
    let value = framed_output(value, Frame::TOOL_LIST);
    text.extend(["\n<", &*key, ">", &value, "</", &*key, ">"]);
}

fn is_empty(list: &Value) -> bool {
    list.as_array().is_some_and(Vec::is_empty)
}

/// Writes calls.
pub(super) fn calls(calls: &[ShownCall<'_>], tools: &Tools) -> String {
    let blocks = calls.iter().map(|call| {
        let shape = tools.shape(call.name);
        let mut text = format!("<tool_call>\n<function={}>\n", call.name);
        for (name, value) in call.arguments.as_object().into_iter().flatten() {
            let wanted = shape.as_ref().and_then(|shape| shape.wanted(name));
            let value = value_text(value, wanted);
            text.extend(["<parameter=", name, ">\n", &value, "\n</parameter>\n"]);
        }
        text + "</function>\n</tool_call>"
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
