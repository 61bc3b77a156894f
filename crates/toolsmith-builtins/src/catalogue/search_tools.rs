//! `search_tools`: finds tools by what they do.

use serde::Deserialize;
use toolsmith_core::{Exposure, Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// The name of the tool.
pub const NAME: &str = "search_tools";

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    let work = |cx: &ToolContext, input: Value| run(cx, input);
    Ok(Tool::blocking(spec()?, work))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let parameters = [
        Parameter::string("query")
            .required()
            .with_description("What the tool should do, in a few words, English or Chinese.")
            .with_rule("min_length", 1)
            .with_rule("max_length", 1_000),
        Parameter::integer("limit")
            .with_description("How many tools to return at most.")
            .with_default(json!(5))
            .with_rule("min", 1)
            .with_rule("max", 50),
    ];
    let spec = ToolSpec::new(NAME)?
        .with_description(
            "Finds tools by what they do. More tools exist than are listed: search before saying \
             that something cannot be done. Call what you find with call_tool.",
        )
        .with_category("system")
        .with_parameters(&parameters)
        .with_output_schema(&output_schema())
        // Tools come and go, so no answer may be given twice.
        .with_annotations(toolsmith_core::Annotations { idempotent: false, ..READS });
    let example = json!({ "input": { "query": "read a web page", "limit": 3 } });
    let spec = about(spec, "Search tools", &["tools", "search", "find"], &[example]);
    Ok(spec.with(|spec| spec.exposure = Exposure::Hidden))
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "tools": {
                "type": "array",
                "description": "The tools, the best first.",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string", "description": "The name to call it by." },
                        "description": { "type": "string", "description": "What it does." },
                        "input_schema": { "type": "object", "description": "What it takes." }
                    },
                    "required": ["name", "description", "input_schema"],
                    "additionalProperties": false
                }
            },
            "hint": { "type": "string", "description": "What to do when nothing was found." }
        },
        "required": ["tools"],
        "additionalProperties": false
    })
}

#[derive(Deserialize)]
struct Input {
    query: String,
    limit: usize,
}

fn run(cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { query, limit } = input::read(input)?;
    let found = cx.search(&query, limit);
    if found.is_empty() {
        let hint = "Nothing fits; try other words, or fewer.";
        return Ok(json!({ "tools": [], "hint": hint }));
    }
    let tools: Vec<Value> = found.iter().map(shown).collect();
    Ok(json!({ "tools": tools }))
}

/// What a model needs to call a tool.
fn shown(spec: &ToolSpec) -> Value {
    json!({
        "name": spec.name,
        "description": spec.description,
        "input_schema": spec.input_schema.to_value(),
    })
}
