//! `write_file`: writes a whole file.

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{encoding::Encoding, failure::failure, fence::Fence, replace::replace};
use crate::{
    Settings,
    about::{REPLACES, about},
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
        .with_description("The file, such as `notes/today.md`. Missing folders are made.")
        .with_rule("max_length", 4_096);
    let content = Parameter::string("content")
        .required()
        .with_description("The whole new content of the file.");
    let encoding = Encoding::parameter("What `content` is; `base64` for anything but text.");
    let spec = ToolSpec::new("write_file")?
        .with_description(
            "Writes a file. What the file had in it before is lost; to change a part of it, use \
             edit_file. The file appears at once as a whole, or not at all.",
        )
        .with_category("file")
        .with_parameters(&[path, content, encoding])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "bytes_written": { "type": "integer", "description": "The size of the file." },
                "created": { "type": "boolean", "description": "Whether the file is new." }
            },
            "required": ["bytes_written", "created"],
            "additionalProperties": false
        }))
        .with_annotations(REPLACES);
    let example = json!({
        "input": { "path": "drafts/letter.txt", "content": "Dear reader,\n" },
        "output": { "bytes_written": 13, "created": true }
    });
    Ok(about(spec, "Write file", &["file", "write", "create", "save"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    path: String,
    content: String,
    #[serde(default)]
    encoding: Encoding,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { path, content, encoding } = input::read(input)?;
    let place = fence.find(cx, &path)?;
    let bytes = encoding.encode(content)?;
    let (dir, name) = place.slot(&place.root_or_new()?)?;
    let created = dir.symlink_metadata(&name).is_err();
    replace(cx, &dir, &name, &bytes).map_err(|error| failure(&place, error))?;
    Ok(json!({ "bytes_written": bytes.len(), "created": created }))
}
