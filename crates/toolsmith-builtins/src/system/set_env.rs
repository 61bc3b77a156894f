//! `set_env`: sets a variable for the conversation and the processes that it starts.

use std::sync::Arc;

use serde::Deserialize;
use toolsmith_core::{
    Annotations, Overlay, OverlayRefusal, Parameter, Tool, ToolContext, ToolError, ToolSpec, Value,
    Variables, json,
};

use super::{get_env::value, names};
use crate::{Settings, about::about, input};

/// The longest value, in bytes.
const LONGEST: usize = 32 * 1024;

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
        .with_description("The name: letters, digits and underscores, such as `BUILD_MODE`.")
        .with_rule("max_length", 256);
    let text = Parameter::string("value")
        .required()
        .with_description("The value.")
        .with_rule("max_length", LONGEST);
    let spec = ToolSpec::new("set_env")?
        .with_description(
            "Sets an environment variable for the rest of this conversation and for the commands \
             and processes that it starts; others do not see it. Variables that decide what code \
             is loaded or which proxy is used (PATH, HOME, LD_*, PYTHON*, NODE_*, GIT_*, *_PROXY \
             and their like) are refused.",
        )
        .with_category("system")
        .with_parameters(&[key, text])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "previous": {
                    "type": ["string", "null"],
                    "description": "The value before; null when it was not set or is a secret."
                }
            },
            "required": ["previous"],
            "additionalProperties": false
        }))
        .with_annotations(Annotations { idempotent: true, ..Annotations::default() });
    let example = json!({
        "input": { "key": "LANG", "value": "zh_CN.UTF-8" },
        "output": { "previous": "en_US.UTF-8" }
    });
    Ok(about(spec, "Set variable", &["environment", "variable", "env"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    key: String,
    value: String,
}

fn run(
    variables: &dyn Variables,
    overlay: &Overlay,
    cx: &ToolContext,
    input: Value,
) -> Result<Value, ToolError> {
    let input: Input = input::read(input)?;
    check(&input)?;
    let Input { key, value: text } = input;
    let previous = value(variables, overlay, cx.context(), &key);
    overlay.set(cx.context(), &key, text).map_err(|refusal| match refusal {
        OverlayRefusal::Full => {
            ToolError::failed("This conversation has set as many variables as it may; reuse one.")
        }
        OverlayRefusal::Loader => ToolError::denied(format!(
            "`{key}` decides what child processes load or whom they talk to; it cannot be set."
        )),
    })?;
    Ok(json!({ "previous": previous }))
}

fn check(input: &Input) -> Result<(), ToolError> {
    if !names::is_name(&input.key) {
        return Err(ToolError::validation(
            "`key` must be letters, digits and underscores, and not begin with a digit.",
        ));
    }
    if input.value.contains('\0') || input.value.len() > LONGEST {
        return Err(ToolError::validation(format!(
            "`value` must have at most {LONGEST} bytes and no NUL character."
        )));
    }
    Ok(())
}
