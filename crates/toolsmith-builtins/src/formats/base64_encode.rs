//! `base64_encode`: writes text as base64.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| std::future::ready(run(input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let text = Parameter::string("text").required().with_description("The text.");
    let spec = ToolSpec::new("base64_encode")?
        .with_description("Writes text (as UTF-8) in base64, with the usual letters and padding.")
        .with_category("data")
        .with_parameters(&[text])
        .with_output_schema(&json!({
            "type": "object",
            "properties": { "encoded": { "type": "string", "description": "The base64." } },
            "required": ["encoded"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({ "input": { "text": "hello" }, "output": { "encoded": "aGVsbG8=" } });
    Ok(about(spec, "Encode base64", &["base64", "encode"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    text: String,
}

fn run(input: Value) -> Result<Value, ToolError> {
    let Input { text } = input::read(input)?;
    Ok(json!({ "encoded": STANDARD.encode(text) }))
}
