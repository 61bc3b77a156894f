//! `edit_file`: replaces a piece of text in a file.

use std::io::Read;

use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{MOST_BYTES, encoding::Encoding, failure::failure, fence::Fence, replace::replace};
use crate::{
    Settings,
    about::{REPLACES, about},
    input,
};

/// How many places are named when a text occurs more than once.
const MOST_NAMED: usize = 10;

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let fence = Fence::new(settings);
    Ok(Tool::blocking(spec()?, move |cx, input| run(&fence, cx, input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let path = Parameter::string("path")
        .required()
        .with_description("The file, such as `notes/today.md`.")
        .with_rule("max_length", 4_096);
    let old_text = Parameter::string("old_text")
        .required()
        .with_description("The text to replace, exactly as in the file, spaces and lines too.")
        .with_rule("min_length", 1);
    let new_text = Parameter::string("new_text")
        .required()
        .with_description("The text to put in its place; empty to take it out.");
    let replace_all = Parameter::boolean("replace_all")
        .with_description("Whether to replace it everywhere; otherwise it must occur once.")
        .with_default(false);
    let spec = ToolSpec::new("edit_file")?
        .with_description(
            "Replaces a piece of text in a file and leaves the rest as it is. Give enough of the \
             surrounding text that the piece occurs once.",
        )
        .with_category("file")
        .with_parameters(&[path, old_text, new_text, replace_all])
        .with_output_schema(&json!({
            "type": "object",
            "properties": {
                "replacements": { "type": "integer", "description": "How many were replaced." }
            },
            "required": ["replacements"],
            "additionalProperties": false
        }))
        // A second call finds nothing to replace, or replaces what the first has put there.
        .with_annotations(toolsmith_core::Annotations { idempotent: false, ..REPLACES });
    let example = json!({
        "input": { "path": "notes.txt", "old_text": "second", "new_text": "last" },
        "output": { "replacements": 1 }
    });
    Ok(about(spec, "Edit file", &["file", "edit", "replace", "change"], &[example]))
}

#[derive(Deserialize)]
struct Input {
    path: String,
    old_text: String,
    new_text: String,
    #[serde(default)]
    replace_all: Option<bool>,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { path, old_text, new_text, replace_all } = input::read(input)?;
    let place = fence.find(cx, &path)?;
    let fail = |error| failure(&place, error);
    let root = place.root()?;
    let (file, before) = place.open(&root)?;
    if before.len() > MOST_BYTES {
        return Err(ToolError::failed(format!(
            "The file has {} bytes; at most {MOST_BYTES} can be edited.",
            before.len()
        )));
    }
    let mut bytes = Vec::new();
    // The file may grow while it is read; what it has beyond the limit would be lost.
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    let text = Encoding::Utf8.decode(bytes)?;
    let count = count(&text, &old_text, replace_all.unwrap_or(false))?;
    let kept = text.len() - count * old_text.len();
    let length = count.checked_mul(new_text.len()).and_then(|added| kept.checked_add(added));
    if length.is_none_or(|length| u64::try_from(length).unwrap_or(u64::MAX) > MOST_BYTES) {
        return Err(ToolError::failed(format!(
            "The edited file would be larger than {MOST_BYTES} bytes; replace less, or with less."
        )));
    }
    let edited = text.replace(&old_text, &new_text);
    let (dir, name) = place.slot(&root)?;
    let after = dir.metadata(&name).map_err(fail)?;
    if after.len() != before.len() || after.modified().ok() != before.modified().ok() {
        return Err(ToolError::try_differently(
            "The file was changed by someone else meanwhile; read it again, then edit it.",
        ));
    }
    replace(cx, &dir, &name, edited.as_bytes()).map_err(fail)?;
    Ok(json!({ "replacements": count }))
}

/// Counts how often the text occurs; an error says what to do when that is not as wanted.
fn count(text: &str, old_text: &str, replace_all: bool) -> Result<usize, ToolError> {
    if old_text.is_empty() {
        return Err(ToolError::validation("`old_text` is empty; use write_file to write a file."));
    }
    let count = text.matches(old_text).count();
    match count {
        0 => Err(missing(text, old_text)),
        1 => Ok(1),
        _ if replace_all => Ok(count),
        _ => Err(ToolError::try_differently(format!(
            "`old_text` occurs {count} times, {}: give more of the text around the one that is \
             meant, or set `replace_all`.",
            lines_of(text, old_text)
        ))),
    }
}

fn missing(text: &str, old_text: &str) -> ToolError {
    let first = old_text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(old_text);
    let hint = if old_text.contains('\n') && !old_text.contains('\r') && text.contains("\r\n") {
        "The lines of the file end with `\\r\\n`, those of `old_text` with `\\n`.".to_owned()
    } else if text.contains(first) {
        format!("Its first line occurs {}; read the file again.", lines_of(text, first))
    } else {
        "Read the file again and copy the text exactly, with its spaces.".to_owned()
    };
    ToolError::try_differently(format!("`old_text` does not occur in the file. {hint}"))
}

/// Names the lines at which a text begins.
fn lines_of(text: &str, part: &str) -> String {
    let (mut line, mut counted) = (1, 0);
    let mut lines: Vec<String> = Vec::new();
    for (at, _) in text.match_indices(part).take(MOST_NAMED) {
        line += text.get(counted..at).unwrap_or_default().matches('\n').count();
        counted = at;
        lines.push(line.to_string());
    }
    lines.dedup();
    let word = if lines.len() == 1 { "in line" } else { "in lines" };
    format!("{word} {}", lines.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_must_occur_once_unless_all_are_meant() {
        let text = "a\nb a\nc\n";
        assert_eq!(count(text, "b a", false).unwrap(), 1);
        assert_eq!(count(text, "a", true).unwrap(), 2);
        let message = count(text, "a", false).unwrap_err().message().to_owned();
        assert!(message.contains("occurs 2 times, in lines 1, 2"), "{message}");
    }

    #[test]
    fn a_text_that_is_missing_is_explained() {
        let message = |text: &str, old: &str| missing(text, old).message().to_owned();
        assert!(message("a\r\nb", "a\nb").contains("\\r\\n"));
        assert!(message("  one\n  two", "one\ntwo").contains("first line occurs in line 1"));
        assert!(message("x", "y").contains("copy the text exactly"));
    }
}
