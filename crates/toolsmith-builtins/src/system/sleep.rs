//! `sleep`: waits for a while.

use std::time::Duration;

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolError, ToolSpec, Value, json};

use crate::{
    about::{READS, about},
    input,
};

/// The longest wait, in seconds.
const LONGEST: f64 = 3_600.0;

/// Builds the tool.
pub fn tool() -> Result<Tool, ToolError> {
    Ok(Tool::function(spec()?, |_cx, input| run(input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let duration = Parameter::number("duration")
        .required()
        .with_description("How long to wait, in seconds; fractions are possible.")
        .with_rule("min", 0)
        .with_rule("max", LONGEST);
    let spec = ToolSpec::new("sleep")?
        .with_description(
            "Waits for so many seconds. Use it before looking again at something that takes time.",
        )
        .with_category("system")
        .with_parameters(&[duration])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "slept": { "type": "number", "description": "How long it waited, in seconds." }
            },
            "required": ["slept"],
            "additionalProperties": false
        }))
        .with_annotations(READS)
        // The usual deadline would end most of the waits that can be asked for.
        .with(|spec| spec.timeout = Some(Duration::from_secs_f64(LONGEST + 5.0)));
    let example = json!({ "input": { "duration": 0.01 }, "output": { "slept": 0.01 } });
    Ok(about(spec, "Sleep", &["time", "wait", "pause", "delay"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    duration: Value,
}

/// Whoever drops the future ends the wait.
async fn run(input: Value) -> Result<Value, ToolError> {
    let Input { duration } = input::read(input)?;
    let seconds = duration.as_f64().filter(|seconds| (0.0..=LONGEST).contains(seconds));
    let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let Some(wait) = wait else {
        return Err(ToolError::validation(format!(
            "`duration` must be a number of seconds from 0 to {LONGEST}."
        )));
    };
    tokio::time::sleep(wait).await;
    Ok(json!({ "slept": duration }))
}
