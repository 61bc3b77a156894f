//! `current_time`: says what time it is.

use std::sync::Arc;

use serde::Deserialize;
use toolsmith_core::{Annotations, Clock, Parameter, Tool, ToolError, ToolSpec, Value, json};

use super::zone;
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let clock = Arc::clone(&settings.clock);
    Ok(Tool::function(spec()?, move |_cx, input| std::future::ready(run(&*clock, input))))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let timezone = Parameter::string("timezone")
        .with_description(
            "An IANA name such as `Europe/Berlin`, `UTC`, or an offset such as `+08:00`.",
        )
        .with_rule("max_length", 64)
        .with_default("UTC");
    let spec = ToolSpec::new("current_time")?
        .with_description(
            "Returns the date and time of now in a time zone. Use it instead of guessing what day \
             it is.",
        )
        .with_category("system")
        .with_parameters(&[timezone])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "timestamp": { "type": "integer", "description": "Unix milliseconds." },
                "iso": {
                    "type": "string",
                    "description": "Date and time there, as RFC 3339 writes them."
                },
                "timezone": { "type": "string", "description": "The time zone." }
            },
            "required": ["timestamp", "iso", "timezone"],
            "additionalProperties": false
        }))
        // The time moves on, so no answer may be given twice.
        .with_annotations(Annotations { idempotent: false, ..READS });
    let example = json!({
        "input": { "timezone": "Asia/Shanghai" },
        "output": {
            "timestamp": 1_767_225_600_000_i64,
            "iso": "2026-01-01T08:00:00.000+08:00",
            "timezone": "Asia/Shanghai"
        }
    });
    Ok(about(spec, "Current time", &["time", "date", "clock", "timezone"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    timezone: Option<String>,
}

fn run(clock: &dyn Clock, input: Value) -> Result<Value, ToolError> {
    let Input { timezone } = input::read(input)?;
    let (zone, name) = zone::find(timezone.as_deref().unwrap_or("UTC"))?;
    let millis = clock.now().as_millis();
    let moment = jiff::Timestamp::from_millisecond(millis).map_err(|error| {
        ToolError::failed("The clock of the machine shows no possible time.").with_source(error)
    })?;
    let iso = if name == "UTC" {
        format!("{moment:.3}")
    } else {
        format!("{:.3}", moment.display_with_offset(zone.to_offset(moment)))
    };
    Ok(json!({ "timestamp": millis, "iso": iso, "timezone": name }))
}
