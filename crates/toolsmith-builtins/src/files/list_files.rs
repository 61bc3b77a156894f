//! `list_files`: shows what is in a folder.

use std::ops::ControlFlow;

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{
    fence::Fence,
    place::{Place, modified},
    walk::{End, Found, Reach, glob, matches, walk},
};
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// How many files are listed at most.
const MOST_FILES: usize = 5_000;

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let fence = Fence::new(settings);
    Ok(Tool::blocking(spec()?, move |cx, input| run(&fence, cx, input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let path = Parameter::string("path")
        .with_description("The folder; the allowed folder itself unless given.")
        .with_rule("max_length", 4_096)
        .with_default(".");
    let recursive = Parameter::boolean("recursive")
        .with_description("Whether to list what is in the folders inside it too.")
        .with_default(false);
    let pattern = Parameter::string("pattern")
        .with_description(
            "Lists only what fits, such as `*.md`; with a `/` in it, it is compared with the path \
             from the folder, such as `2026/**/*.md`.",
        )
        .with_rule("max_length", 1_000);
    let spec = ToolSpec::new("list_files")?
        .with_description(format!(
            "Lists the files and folders in a folder, sorted by name. At most {MOST_FILES} are \
             listed, 32 folders deep; `truncated` says whether there are more. Links are listed, \
             not followed."
        ))
        .with_category("file")
        .with_parameters(&[path, recursive, pattern])
        .with_output_schema(&output_schema())
        .with_annotations(READS);
    let example = json!({
        "input": { "path": ".", "pattern": "*.txt" },
        "output": {
            "files": [{
                "path": "notes.txt", "name": "notes.txt", "size": 23,
                "modified": 1_767_225_600_000_i64, "is_dir": false
            }],
            "truncated": false
        }
    });
    Ok(about(spec, "List files", &["file", "folder", "directory", "ls"], &[example]))
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "files": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": {
                            "type": "string",
                            "description": "The path, as the other file tools take it."
                        },
                        "name": { "type": "string", "description": "The last part of the path." },
                        "size": { "type": "integer", "description": "The size in bytes." },
                        "modified": {
                            "type": ["integer", "null"],
                            "description": "When it was last changed, in Unix milliseconds."
                        },
                        "is_dir": { "type": "boolean", "description": "Whether it is a folder." },
                        "is_link": { "type": "boolean", "description": "Set for a link." }
                    },
                    "required": ["path", "name", "size", "modified", "is_dir"],
                    "additionalProperties": false
                }
            },
            "truncated": { "type": "boolean", "description": "Whether there are more." }
        },
        "required": ["files", "truncated"],
        "additionalProperties": false
    })
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    recursive: Option<bool>,
    #[serde(default)]
    pattern: Option<String>,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { path, recursive, pattern } = input::read(input)?;
    let place = fence.find(cx, path.as_deref().unwrap_or("."))?;
    let pattern = pattern.as_deref().map(glob).transpose()?;
    let reach = if recursive.unwrap_or(false) { Reach::Everything } else { Reach::Folder };
    let mut files = Vec::new();
    let end = walk(cx, place.open_folder()?, reach, &mut |found| {
        if pattern.as_ref().is_some_and(|pattern| !matches(pattern, found)) {
            return Ok(ControlFlow::Continue(()));
        }
        if files.len() >= MOST_FILES {
            return Ok(ControlFlow::Break(()));
        }
        files.extend(describe(&place, found));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(json!({ "files": files, "truncated": end == End::Cut }))
}

/// Describes an entry; nothing when it has gone since the folder was read.
fn describe(place: &Place, found: &Found<'_>) -> Option<Value> {
    let metadata = found.dir.symlink_metadata(found.name).ok()?;
    let mut file = json!({
        "path": place.beneath(found.path),
        "name": found.name.to_string_lossy(),
        "size": metadata.len(),
        "modified": modified(&metadata),
        "is_dir": metadata.is_dir(),
    });
    if let (true, Some(fields)) = (metadata.is_symlink(), file.as_object_mut()) {
        fields.insert("is_link".to_owned(), true.into());
    }
    Some(file)
}
