//! `delete_file`: deletes a file or an empty folder.

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{
    failure::{failure, is_missing},
    fence::Fence,
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
    let path = Parameter::string("path")
        .required()
        .with_description("The file or empty folder, such as `notes/today.md`.")
        .with_rule("max_length", 4_096);
    let spec = ToolSpec::new("delete_file")?
        .with_description(
            "Deletes a file or an empty folder for good. A folder that is not empty is refused: \
             delete what is in it first. Of a link, the link is deleted.",
        )
        .with_category("file")
        .with_parameters(&[path])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "deleted": { "type": "boolean", "description": "True: it is gone." }
            },
            "required": ["deleted"],
            "additionalProperties": false
        }))
        // A second call finds nothing and says so.
        .with_annotations(toolsmith_core::Annotations { idempotent: false, ..REPLACES });
    let example = json!({ "input": { "path": "notes.txt" }, "output": { "deleted": true } });
    Ok(about(spec, "Delete file", &["file", "delete", "remove"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    path: String,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { path } = input::read(input)?;
    let place = fence.find(cx, &path)?;
    if place.is_root() {
        return Err(ToolError::denied("Access denied: an allowed folder itself is not deleted."));
    }
    delete(&place)?;
    Ok(json!({ "deleted": true }))
}

fn delete(place: &Place) -> Result<(), ToolError> {
    let fail = |error| failure(place, error);
    let root = place.root()?;
    // A link that leads outside is left alone; one that leads nowhere can be deleted.
    if let Err(error) = place.metadata(&root).map_err(fail)
        && !is_missing(&error)
    {
        return Err(error);
    }
    let is_folder = root.symlink_metadata(&place.rest).map_err(fail)?.is_dir();
    let deleted =
        if is_folder { root.remove_dir(&place.rest) } else { root.remove_file(&place.rest) };
    deleted.map_err(fail)
}
