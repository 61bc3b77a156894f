//! `move_file`: moves or renames a file or folder.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::Path,
};

use cap_std::fs::Dir;
use rustix::{
    fs::{RenameFlags, renameat_with},
    io::Errno,
};
use serde::Deserialize;
use toolsmith_core::{Annotations, Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{
    failure::{failure, is_missing},
    fence::{Fence, shown},
    place::Place,
};
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
    let from = Parameter::string("from")
        .required()
        .with_description("The file or folder, such as `draft.md`.")
        .with_rule("max_length", 4_096);
    let to = Parameter::string("to")
        .required()
        .with_description("Its whole new path, such as `done/letter.md`. Missing folders are made.")
        .with_rule("max_length", 4_096);
    let spec = ToolSpec::new("move_file")?
        .with_description(
            "Moves or renames a file or folder. Nothing is replaced: when something is at the new \
             path already, the call is refused.",
        )
        .with_category("file")
        .with_parameters(&[from, to])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "success": { "type": "boolean", "description": "True: it was moved." }
            },
            "required": ["success"],
            "additionalProperties": false
        }))
        .with_annotations(Annotations { destructive: false, idempotent: false, ..REPLACES });
    let example = json!({
        "input": { "from": "notes.txt", "to": "archive/notes-2025.txt" },
        "output": { "success": true }
    });
    Ok(about(spec, "Move file", &["file", "move", "rename"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    from: String,
    to: String,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let input: Input = input::read(input)?;
    let (from, to) = (fence.find(cx, &input.from)?, fence.find(cx, &input.to)?);
    if from.is_root() {
        return Err(ToolError::denied("Access denied: an allowed folder itself is not moved."));
    }
    let from_root = from.root()?;
    // What is to be moved is looked at first, so that no folder is made for nothing.
    let lost = from.metadata(&from_root).map_err(|error| failure(&from, error));
    if let Err(error) = lost
        && !(is_missing(&error) && from_root.symlink_metadata(&from.rest).is_ok())
    {
        return Err(error);
    }
    let to_root = to.root_or_new()?;
    let (dir, name) = free_slot(&to, &to_root)?;
    rename(&from, &from_root, &dir, &name).map_err(|error| failure(&from, error))?;
    Ok(json!({ "success": true }))
}

/// Renames without replacing what came there meanwhile, where the file system can.
fn rename(from: &Place, root: &Dir, dir: &Dir, name: &OsStr) -> io::Result<()> {
    let parent = from.rest.parent().filter(|parent| !parent.as_os_str().is_empty());
    let from_dir = root.open_dir(parent.unwrap_or(Path::new(".")))?;
    let from_name = from.rest.file_name().unwrap_or_default();
    // Names without a `/` are never followed, whatever they lead to.
    match renameat_with(&from_dir, from_name, dir, name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => from_dir.rename(from_name, dir, name),
        renamed => Ok(renamed?),
    }
}

/// Opens the folder for the new name, which must be free.
fn free_slot(to: &Place, root: &Dir) -> Result<(Dir, OsString), ToolError> {
    let taken = match to.metadata(root).map_err(|error| failure(to, error)) {
        Ok(metadata) => Some(if metadata.is_dir() { "a folder" } else { "a file" }),
        Err(error) if is_missing(&error) => None,
        Err(error) => return Err(error),
    };
    match taken {
        None => to.slot(root),
        Some(what) => Err(ToolError::try_differently(format!(
            "`{}` is {what} already; give a path that is free as `to`.",
            shown(&to.given)
        ))),
    }
}
