//! `read_file`: reads a file, whole or in pages.

use std::io::{ErrorKind, Read, Seek, SeekFrom};

use cap_std::fs::File;
use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{
    MOST_BYTES,
    encoding::Encoding,
    failure::{cancelled, failure},
    fence::Fence,
    lines::{Line, Lines},
    place::Place,
};
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// How many lines are skipped between two looks at whether the caller is still there.
const BETWEEN_LOOKS: u64 = 4_096;

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
    let encoding = Encoding::parameter(
        "How the bytes are given: `utf-8` for text, `base64` for anything else, `latin1` for old \
         text.",
    );
    let offset = Parameter::integer("offset")
        .with_description("How many lines to skip first; with `base64`, how many bytes.")
        .with_rule("min", 0)
        .with_default(0);
    let limit = Parameter::integer("limit")
        .with_description("How many lines to read at most; with `base64`, how many bytes.")
        .with_rule("min", 1);
    let spec = ToolSpec::new("read_file")?
        .with_description(
            "Reads a file and returns its content. A long file is read in pages: `next_offset` \
             is the `offset` of the next page, and null at the end of the file.",
        )
        .with_category("file")
        .with_parameters(&[path, encoding, offset, limit])
        .with_output_schema(&output_schema())
        .with_annotations(READS);
    Ok(about(spec, "Read file", &["file", "read", "open", "text"], &examples()))
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "content": { "type": "string", "description": "What was read." },
            "size": { "type": "integer", "description": "The size of the whole file in bytes." },
            "encoding": { "type": "string", "description": "How the bytes are given." },
            "next_offset": {
                "type": ["integer", "null"],
                "description": "Where to read on; null when the end was reached."
            }
        },
        "required": ["content", "size", "encoding", "next_offset"],
        "additionalProperties": false
    })
}

fn examples() -> [Value; 2] {
    [
        json!({
            "input": { "path": "notes.txt" },
            "output": {
                "content": "first line\nsecond line\n", "size": 23, "encoding": "utf-8",
                "next_offset": null
            }
        }),
        json!({
            "input": { "path": "notes.txt", "offset": 0, "limit": 1 },
            "output": {
                "content": "first line\n", "size": 23, "encoding": "utf-8", "next_offset": 1
            }
        }),
    ]
}

#[derive(Deserialize)]
struct Input {
    path: String,
    #[serde(default)]
    encoding: Encoding,
    #[serde(default, deserialize_with = "input::whole")]
    offset: Option<u64>,
    #[serde(default, deserialize_with = "input::whole")]
    limit: Option<u64>,
}

/// A piece of a file, and where the next one begins.
type Page = (Vec<u8>, Option<u64>);

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let Input { path, encoding, offset, limit } = input::read(input)?;
    let place = fence.find(cx, &path)?;
    let (file, metadata) = place.open(&place.root()?)?;
    let (offset, limit) = (offset.unwrap_or(0), limit.unwrap_or(u64::MAX));
    let (bytes, next_offset) = if encoding == Encoding::Base64 {
        read_bytes(file, offset, limit).map_err(|error| failure(&place, error))?
    } else {
        read_lines(cx, &place, file, (offset, limit))?
    };
    Ok(json!({
        "content": encoding.decode(bytes)?,
        "size": metadata.len(),
        "encoding": encoding.as_str(),
        "next_offset": next_offset,
    }))
}

fn read_bytes(mut file: File, offset: u64, limit: u64) -> std::io::Result<Page> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset.min(i64::MAX.unsigned_abs())))?;
    // One byte more than is given, to know whether this is the end.
    let most = limit.min(MOST_BYTES);
    file.take(most + 1).read_to_end(&mut bytes)?;
    let is_more = u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most;
    if is_more {
        bytes.pop();
    }
    Ok((bytes, is_more.then_some(offset.saturating_add(most))))
}

fn read_lines(
    cx: &ToolContext,
    place: &Place,
    file: File,
    (offset, limit): (u64, u64),
) -> Result<Page, ToolError> {
    let fail = |error| failure(place, error);
    let mut lines = Lines::new(file);
    for number in 0..offset {
        if number % BETWEEN_LOOKS == 0 && cx.is_cancelled() {
            return Err(cancelled());
        }
        let is_there = lines.skip(|| !cx.is_cancelled()).map_err(|error| match error.kind() {
            ErrorKind::Interrupted => cancelled(),
            _ => fail(error),
        })?;
        if !is_there {
            return Err(beyond(place, number));
        }
    }
    let mut bytes = Vec::new();
    let mut at = offset;
    while at - offset < limit {
        let before = bytes.len();
        let room = MOST_BYTES.saturating_sub(u64::try_from(before).unwrap_or(u64::MAX));
        match lines.read(&mut bytes, room).map_err(fail)? {
            Line::End => return Ok((bytes, None)),
            Line::Whole => at += 1,
            Line::Part if before == 0 => return Err(too_long(at)),
            Line::Part => {
                bytes.truncate(before);
                return Ok((bytes, Some(at)));
            }
        }
    }
    let is_done = lines.is_done().map_err(fail)?;
    Ok((bytes, (!is_done).then_some(at)))
}

fn beyond(place: &Place, lines: u64) -> ToolError {
    ToolError::try_differently(format!(
        "`{}` has {lines} lines only; use a smaller `offset`.",
        place.given
    ))
}

fn too_long(line: u64) -> ToolError {
    ToolError::try_differently(format!(
        "Line {} is longer than {MOST_BYTES} bytes; read it with the encoding `base64`, where \
         `offset` and `limit` count bytes.",
        line + 1
    ))
}
