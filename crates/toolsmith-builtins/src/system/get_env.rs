//! `get_env`: reads a variable.

use std::sync::Arc;

use serde::Deserialize;
use toolsmith_core::{
    Context, Overlay, Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, Variables, json,
};

use super::names;
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let (variables, overlay) = (Arc::clone(&settings.variables), settings.overlay.clone());
    Ok(Tool::function(spec()?, move |cx, input| {
        std::future::ready(run(&*variables, &overlay, &cx, input))
    }))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let key = Parameter::string("key")
        .required()
        .with_description("The name of the variable, such as `LANG`.")
        .with_rule("max_length", 256);
    let spec = ToolSpec::new("get_env")?
        .with_description(format!(
            "Reads an environment variable, as set by set_env in this conversation or by the \
             system. The value is null when it is not set. Secrets read as null too: names with \
             {} in them, and addresses with a login.",
            names::SECRET.join(", ")
        ))
        .with_category("system")
        .with_parameters(&[key])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "value": { "type": ["string", "null"], "description": "The value, or null." }
            },
            "required": ["value"],
            "additionalProperties": false
        }))
        // The value changes when set_env is called, so no answer may be given twice.
        .with_annotations(toolsmith_core::Annotations { idempotent: false, ..READS });
    let example = json!({ "input": { "key": "LANG" }, "output": { "value": "en_US.UTF-8" } });
    Ok(about(spec, "Get variable", &["environment", "variable", "env"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    key: String,
}

fn run(
    variables: &dyn Variables,
    overlay: &Overlay,
    cx: &ToolContext,
    input: Value,
) -> Result<Value, ToolError> {
    let Input { key } = input::read(input)?;
    Ok(json!({ "value": value(variables, overlay, cx.context(), &key) }))
}

/// Returns what a conversation sees as the value of a variable.
pub(super) fn value(
    variables: &dyn Variables,
    overlay: &Overlay,
    context: &Context,
    name: &str,
) -> Option<String> {
    if !names::is_name(name) {
        return None;
    }
    let value = overlay.get(context, name).or_else(|| variables.variable(name))?;
    (!names::is_secret(name, &value)).then_some(value)
}
