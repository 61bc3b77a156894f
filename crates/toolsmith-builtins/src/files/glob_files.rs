//! `glob_files`: finds files by a pattern of their paths.

use std::ops::ControlFlow;

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{
    fence::Fence,
    walk::{End, Reach, glob, walk},
};
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// How many paths are given at most.
const MOST_FILES: usize = 5_000;

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let fence = Fence::new(settings);
    Ok(Tool::blocking(spec()?, move |cx, input| run(&fence, cx, input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let pattern = Parameter::string("pattern")
        .required()
        .with_description(
            "The pattern of the whole path from the folder: `*` is anything but `/`, `**` is any \
             folders, `{a,b}` is one of both. Such as `**/*.md`.",
        )
        .with_rule("min_length", 1)
        .with_rule("max_length", 1_000);
    let path = Parameter::string("path")
        .with_description("The folder to look in; the allowed folder itself unless given.")
        .with_rule("max_length", 4_096)
        .with_default(".");
    let spec = ToolSpec::new("glob_files")?
        .with_description(format!(
            "Finds files whose paths fit a pattern, in all folders inside a folder. Folders and \
             links are left out. At most {MOST_FILES} paths are given; `truncated` says whether \
             there are more."
        ))
        .with_category("file")
        .with_parameters(&[pattern, path])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "files": {
                    "type": "array",
                    "items": { "type": "string" },
                    "description": "The paths, as the other file tools take them."
                },
                "truncated": { "type": "boolean", "description": "Whether there are more." }
            },
            "required": ["files", "truncated"],
            "additionalProperties": false
        }))
        .with_annotations(READS);
    let example = json!({
        "input": { "pattern": "**/*.txt" },
        "output": { "files": ["notes.txt"], "truncated": false }
    });
    Ok(about(spec, "Find files", &["file", "find", "glob", "pattern"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { pattern, path } = input::read(input)?;
    let place = fence.find(cx, path.as_deref().unwrap_or("."))?;
    let pattern = glob(&pattern)?;
    let mut files = Vec::new();
    let end = walk(cx, place.open_folder()?, Reach::Everything, &mut |found| {
        if !found.file_type.is_file() || !pattern.is_match(found.path) {
            return Ok(ControlFlow::Continue(()));
        }
        if files.len() >= MOST_FILES {
            return Ok(ControlFlow::Break(()));
        }
        files.push(place.beneath(found.path));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(json!({ "files": files, "truncated": end == End::Cut }))
}
