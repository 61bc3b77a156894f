//! `json_stringify`: writes a value as JSON text.

use serde::Deserialize;
use toolsmith_core::{Parameter, ParameterType, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| std::future::ready(run(input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let data =
        Parameter::new("data", ParameterType::Any).required().with_description("Any JSON value.");
    let pretty = Parameter::boolean("pretty")
        .with_description("Whether to write it in many lines, with two spaces a level.")
        .with_default(false);
    let spec = ToolSpec::new("json_stringify")?
        .with_description("Writes a value as JSON text, with its fields in their order.")
        .with_category("data")
        .with_parameters(&[data, pretty])
        .with_output_schema(&json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "The JSON text." } },
            "required": ["text"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({
        "input": { "data": { "b": 1, "a": [true, null] } },
        "output": { "text": "{\"b\":1,\"a\":[true,null]}" }
    });
    Ok(about(spec, "Write JSON", &["json", "stringify", "encode"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    pretty: Option<bool>,
}

fn run(mut input: Value) -> Result<Value, ToolError> {
    let data = input::take(&mut input, "data")?;
    let Input { pretty } = input::read(input)?;
    let text = if pretty.unwrap_or(false) {
        serde_json::to_string_pretty(&data)
    } else {
        serde_json::to_string(&data)
    };
    let text = text.map_err(|error| {
        ToolError::failed("The value cannot be written as JSON.").with_source(error)
    })?;
    Ok(json!({ "text": text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_text_has_a_line_for_each_field() {
        let output = run(json!({ "data": { "a": 1 }, "pretty": true })).unwrap();
        assert_eq!(output["text"], "{\n  \"a\": 1\n}");
        assert_eq!(run(json!({ "data": null })).unwrap()["text"], "null");
    }
}
