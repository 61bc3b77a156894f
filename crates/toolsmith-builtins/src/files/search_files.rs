//! `search_files`: finds lines that fit a regular expression.

use std::{ops::ControlFlow, path::Path};

use cap_std::fs::File;
use globset::GlobMatcher;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;
use toolsmith_core::{Parameter, Tool, ToolContext, ToolError, ToolSpec, Value, json};

use super::{
    failure::{cancelled, failure},
    fence::Fence,
    lines::{Line, Lines},
    place::{Place, open_plain},
    walk::{End, Found, Reach, glob, matches, walk},
};
use crate::{
    Settings,
    about::{READS, about},
    input,
};

/// How many matches are given unless said otherwise.
const USUAL_MATCHES: u64 = 100;

/// How many matches can be asked for.
const MOST_MATCHES: u64 = 1_000;

/// How many bytes of a line are searched at once; a longer line is searched in pieces.
const LONGEST_PIECE: u64 = 64 * 1024;

/// How many characters of a line are shown.
const SHOWN: usize = 300;

/// How many lines are searched between two looks at whether the caller is still there.
const BETWEEN_LOOKS: u64 = 1_024;

/// How large a compiled expression may be, in bytes.
const LARGEST_REGEX: usize = 1024 * 1024;

/// Builds the tool.
pub fn tool(settings: &Settings) -> Result<Tool, ToolError> {
    let fence = Fence::new(settings);
    Ok(Tool::blocking(spec()?, move |cx, input| run(&fence, cx, input)))
}

fn spec() -> Result<ToolSpec, ToolError> {
    let parameters = [
        Parameter::string("pattern")
            .required()
            .with_description("The regular expression, such as `TODO|FIXME` or `fn \\w+_test`.")
            .with_rule("min_length", 1)
            .with_rule("max_length", 1_000),
        Parameter::string("path")
            .with_description("The folder or file to search; the allowed folder unless given.")
            .with_rule("max_length", 4_096)
            .with_default("."),
        Parameter::string("glob")
            .with_description("Searches only files that fit, such as `*.md`.")
            .with_rule("max_length", 1_000),
        Parameter::boolean("ignore_case")
            .with_description("Whether capital and small letters are the same.")
            .with_default(false),
        Parameter::integer("limit")
            .with_description("How many matches to give at most.")
            .with_rule("min", 1)
            .with_rule("max", MOST_MATCHES)
            .with_default(USUAL_MATCHES),
    ];
    let spec = ToolSpec::new("search_files")?
        .with_description(
            "Finds the lines that fit a regular expression, in a file or in all files inside a \
             folder. Binary files and links are left out. The expression is compared with one \
             line at a time; lookaround and backreferences do not exist.",
        )
        .with_category("file")
        .with_parameters(&parameters)
        .with_output_schema(&output_schema())
        .with_annotations(READS);
    let example = json!({
        "input": { "pattern": "^sec" },
        "output": {
            "matches": [{ "path": "notes.txt", "line": 2, "text": "second line" }],
            "files_searched": 1, "truncated": false
        }
    });
    Ok(about(spec, "Search files", &["file", "search", "grep", "regex"], &[example]))
}

fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "matches": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string", "description": "The file." },
                        "line": { "type": "integer", "description": "The line, from 1." },
                        "text": { "type": "string", "description": "The line, cut if long." }
                    },
                    "required": ["path", "line", "text"],
                    "additionalProperties": false
                }
            },
            "files_searched": { "type": "integer", "description": "How many files were read." },
            "truncated": { "type": "boolean", "description": "Whether there may be more." }
        },
        "required": ["matches", "files_searched", "truncated"],
        "additionalProperties": false
    })
}

#[derive(Deserialize)]
struct Input {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    glob: Option<String>,
    #[serde(default)]
    ignore_case: Option<bool>,
    #[serde(default, deserialize_with = "input::whole")]
    limit: Option<u64>,
}

fn run(fence: &Fence, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
    let input: Input = input::read(input)?;
    let place = fence.find(cx, input.path.as_deref().unwrap_or("."))?;
    let regex = compile(&input.pattern, input.ignore_case.unwrap_or(false))?;
    let glob = input.glob.as_deref().map(glob).transpose()?;
    let limit = input.limit.unwrap_or(USUAL_MATCHES).min(MOST_MATCHES);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut search = Search { cx, regex, limit, matches: Vec::new(), files: 0 };
    let end = search.place(&place, glob.as_ref())?;
    Ok(json!({
        "matches": search.matches,
        "files_searched": search.files,
        "truncated": end == End::Cut,
    }))
}

fn compile(pattern: &str, ignore_case: bool) -> Result<Regex, ToolError> {
    let regex = RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .size_limit(LARGEST_REGEX)
        .dfa_size_limit(LARGEST_REGEX)
        .build();
    regex.map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(_) => "it is too large; use smaller repetitions".into(),
            // The last line says what is wrong; those before it draw a picture.
            other => other.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        };
        ToolError::validation(format!("The regular expression cannot be used: {reason}."))
    })
}

/// A search under way.
struct Search<'a> {
    cx: &'a ToolContext,
    regex: Regex,
    limit: usize,
    matches: Vec<Value>,
    files: u64,
}

impl Search<'_> {
    fn place(&mut self, place: &Place, glob: Option<&GlobMatcher>) -> Result<End, ToolError> {
        let root = place.root()?;
        if !place.metadata(&root).map_err(|error| failure(place, error))?.is_dir() {
            let flow = self.file(place.open(&root)?.0, &place.given)?;
            return Ok(if flow.is_break() { End::Cut } else { End::Whole });
        }
        let cx = self.cx;
        walk(cx, place.open_folder()?, Reach::Everything, &mut |found| {
            let is_wanted = found.file_type.is_file() && glob.is_none_or(|g| matches(g, found));
            if is_wanted { self.found(place, found) } else { Ok(ControlFlow::Continue(())) }
        })
    }

    fn found(&mut self, place: &Place, found: &Found<'_>) -> Result<ControlFlow<()>, ToolError> {
        // A file that cannot be read, or is no plain file any more, does not end the search.
        let Ok(file) = open_plain(found.dir, Path::new(found.name)) else {
            return Ok(ControlFlow::Continue(()));
        };
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(ControlFlow::Continue(()));
        }
        self.file(file, &place.beneath(found.path))
    }

    /// Searches a file; breaks off when there are enough matches.
    fn file(&mut self, file: File, path: &str) -> Result<ControlFlow<()>, ToolError> {
        let mut lines = Lines::new(file);
        if lines.peek().is_ok_and(|start| start.contains(&0)) {
            return Ok(ControlFlow::Continue(()));
        }
        self.files += 1;
        let (mut number, mut pieces, mut is_start) = (0_u64, 0_u64, true);
        let mut piece = Vec::new();
        loop {
            if pieces % BETWEEN_LOOKS == 0 && self.cx.is_cancelled() {
                return Err(cancelled());
            }
            pieces += 1;
            piece.clear();
            let Ok(line) = lines.read(&mut piece, LONGEST_PIECE) else { break };
            if line == Line::End {
                break;
            }
            number += u64::from(is_start);
            is_start = line == Line::Whole;
            let text = trim_end(&piece);
            let Some(found) = self.regex.find(text) else { continue };
            if self.matches.len() >= self.limit {
                return Ok(ControlFlow::Break(()));
            }
            let text = shown(text, found.start());
            self.matches.push(json!({ "path": path, "line": number, "text": text }));
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Shows a line, or the part of a long one where the match is.
fn shown(line: &[u8], at: usize) -> String {
    let start = if line.len() > SHOWN { at.saturating_sub(SHOWN / 4) } else { 0 };
    let rest = String::from_utf8_lossy(line.get(start..).unwrap_or_default()).into_owned();
    let mut shown: String = rest.chars().take(SHOWN).collect();
    if start > 0 {
        shown.insert(0, '…');
    }
    if rest.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_where_the_match_is() {
        let line = format!("{}needle{}", "x".repeat(1_000), "y".repeat(1_000));
        let shown = shown(line.as_bytes(), 1_000);
        assert!(shown.contains("needle") && shown.chars().count() <= SHOWN + 2);
        assert!(shown.starts_with('…') && shown.ends_with('…'));
    }

    #[test]
    fn an_expression_that_cannot_be_used_is_explained() {
        let message = |pattern: &str| compile(pattern, false).unwrap_err().message().to_owned();
        assert!(message("(").contains("unclosed group"), "{}", message("("));
        assert!(message(r"(\w{100}){100}{100}").contains("too large"));
        assert!(message("(?=x)").contains("look-around"), "{}", message("(?=x)"));
    }
}
