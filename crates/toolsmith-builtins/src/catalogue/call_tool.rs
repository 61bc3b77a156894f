//! `call_tool`: calls a tool by its name.

use std::time::Duration;

use toolsmith_core::{Exposure, Parameter, ParameterType, Tool, ToolError, ToolSpec, Work, json};

use crate::about::about;

/// The name of the tool.
pub const NAME: &str = "call_tool";

/// The tool that is called has limits of its own; a call that names none ends at once.
const LIMIT: Duration = Duration::from_secs(30);

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool { spec: spec()?, work: Work::Indirect })
}

fn spec() -> Result<ToolSpec, ToolError> {
    let parameters = [
        Parameter::string("name")
            .required()
            .with_description("The tool, as search_tools names it.")
            .with_rule("min_length", 1),
        Parameter::new("arguments", ParameterType::Object)
            .with_description("What the tool takes, as its input_schema says.")
            .with_default(json!({})),
    ];
    let spec = ToolSpec::new(NAME)?
        .with_description(
            "Calls a tool that search_tools has found. The arguments must fit the tool's \
             input_schema; the result is the tool's own.",
        )
        .with_category("system")
        .with_parameters(&parameters);
    let example = json!({ "input": { "name": "echo", "arguments": { "message": "hi" } } });
    Ok(about(spec, "Call tool", &["tools", "call"], &[example]).with(|spec| {
        spec.exposure = Exposure::Hidden;
        spec.timeout = Some(LIMIT);
    }))
}
