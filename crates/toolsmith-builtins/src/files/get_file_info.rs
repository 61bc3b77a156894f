//! `get_file_info`: says whether a file is there, and how large it is.

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{failure::failure, fence::Fence, place::modified};
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let fence = Fence::new(settings);
    Ok(Tool::blocking(spec()?, move |cx, input| run(&fence, cx, input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let path = Parameter::string("path")
        .required()
        .with_description("The file or folder, such as `notes/today.md`.")
        .with_rule("max_length", 4_096);
    let spec = ToolSpec::new("get_file_info")?
        .with_description(
            "Says whether a file or folder is there, how large it is and when it was changed. \
             Nothing of its content is read.",
        )
        .with_category("file")
        .with_parameters(&[path])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "exists": { "type": "boolean", "description": "Whether it is there." },
                "size": { "type": ["integer", "null"], "description": "Its size in bytes." },
                "modified": {
                    "type": ["integer", "null"],
                    "description": "When it was last changed, in Unix milliseconds."
                },
                "is_dir": { "type": "boolean", "description": "Whether it is a folder." }
            },
            "required": ["exists", "size", "modified", "is_dir"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let examples = [
        json!({
            "input": { "path": "notes.txt" },
            "output": {
                "exists": true, "size": 23, "modified": 1_767_225_600_000_i64, "is_dir": false
            }
        }),
        json!({
            "input": { "path": "missing.txt" },
            "output": { "exists": false, "size": null, "modified": null, "is_dir": false }
        }),
    ];
    Ok(about(spec, "Get file info", &["file", "exists", "size", "stat"], &examples))
}

#[derive(Deserialize)]
struct Input {
    path: String,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { path } = input::read(input)?;
    let place = fence.find(cx, &path)?;
    let found =
        place.root().and_then(|root| place.metadata(&root).map_err(|error| failure(&place, error)));
    match found {
        Ok(metadata) => Ok(json!({
            "exists": true,
            "size": metadata.len(),
            "modified": modified(&metadata),
            "is_dir": metadata.is_dir(),
        })),
        Err(error) if super::failure::is_missing(&error) => {
            Ok(json!({ "exists": false, "size": null, "modified": null, "is_dir": false }))
        }
        Err(error) => Err(error),
    }
}
