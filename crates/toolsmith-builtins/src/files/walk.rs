//! Walks through folders by their handles; links are shown, never followed.

use std::{
    ffi::{OsStr, OsString},
    io,
    ops::ControlFlow,
    vec,
};

use cap_std::fs::{Dir, DirEntry, FileType};
use globset::{GlobBuilder, GlobMatcher};
use toolsmith_core::{ToolContext, ToolError};

use super::failure::cancelled;

/// How many folders deep a walk goes.
pub(super) const DEEPEST: usize = 32;

/// How many entries a walk looks at.
const MOST_SEEN: usize = 100_000;

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The folder itself only.
    Folder,
    /// The folders in it too, and those in them.
    Everything,
}

/// Whether a walk saw everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It saw everything.
    Whole,
    /// A limit or a folder that cannot be opened kept it from seeing everything.
    Cut,
}

/// Something that a walk came by.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// The folder that it is in, open.
    pub(super) dir: &'a Dir,
    /// Its name there.
    pub(super) name: &'a OsStr,
    /// The way from the beginning of the walk, with `/` between.
    pub(super) path: &'a str,
    /// What it is; a link is a link.
    pub(super) file_type: FileType,
}

/// A folder on the way, and what is left to see in it.
struct Level {
    dir: Dir,
    prefix: String,
    entries: vec::IntoIter<(OsString, FileType)>,
}

/// Shows everything in a folder, by name; whoever looks may end the walk.
pub(super) fn walk(
    cx: &ToolContext,
    start: Dir,
    reach: Reach,
    visit: &mut dyn FnMut(&Found<'_>) -> Result<ControlFlow<()>, ToolError>,
) -> Result<End, ToolError> {
    let (mut seen, mut end) = (0, End::Whole);
    let mut levels = Vec::new();
    enter(start, String::new(), &mut seen, &mut levels, &mut end);
    while let Some(level) = levels.last_mut() {
        if cx.is_cancelled() {
            return Err(cancelled());
        }
        let Some((name, file_type)) = level.entries.next() else {
            levels.pop();
            continue;
        };
        let path = format!("{}{}", level.prefix, name.to_string_lossy());
        let found = Found { dir: &level.dir, name: &name, path: &path, file_type };
        if visit(&found)?.is_break() {
            return Ok(End::Cut);
        }
        if !file_type.is_dir() || reach == Reach::Folder {
            continue;
        }
        // Should a link have been swapped in, it leads nowhere but beneath this folder.
        match level.dir.open_dir(&name) {
            Ok(dir) if levels.len() < DEEPEST => {
                enter(dir, format!("{path}/"), &mut seen, &mut levels, &mut end);
            }
            _ => end = End::Cut,
        }
    }
    Ok(end)
}

fn enter(dir: Dir, prefix: String, seen: &mut usize, levels: &mut Vec<Level>, end: &mut End) {
    match entries(&dir, MOST_SEEN.saturating_sub(*seen)) {
        Ok((entries, read)) => {
            *seen += entries.len();
            if read == End::Cut {
                *end = End::Cut;
            }
            levels.push(Level { dir, prefix, entries: entries.into_iter() });
        }
        Err(_) => *end = End::Cut,
    }
}

/// Reads what is in a folder, sorted, so that the same folder is always shown the same.
fn entries(dir: &Dir, most: usize) -> io::Result<(Vec<(OsString, FileType)>, End)> {
    let mut reader = dir.entries()?;
    let mut entries = Vec::new();
    while entries.len() < most {
        let Some(entry) = reader.next() else { break };
        let entry = entry?;
        entries.push((entry.file_name(), kind(&entry)?));
    }
    let end = if entries.len() < most || reader.next().is_none() { End::Whole } else { End::Cut };
    entries.sort_by(|left, right| left.0.cmp(&right.0));
    Ok((entries, end))
}

/// Some file systems do not say what an entry is until its metadata are asked for.
fn kind(entry: &DirEntry) -> io::Result<FileType> {
    let file_type = entry.file_type()?;
    if file_type == FileType::unknown() {
        return entry.metadata().map(|metadata| metadata.file_type());
    }
    Ok(file_type)
}

/// Reads a pattern such as `*.md` or `src/**/*.rs`.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let glob = GlobBuilder::new(pattern.trim_start_matches("./")).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        ToolError::validation(format!(
            "The pattern cannot be read: {}. Write it like `*.md` or `src/**/*.rs`.",
            error.kind()
        ))
    })
}

/// Tells whether something has the form of a pattern: its name when the pattern has no `/`.
pub(super) fn matches(glob: &GlobMatcher, found: &Found<'_>) -> bool {
    let is_name = !glob.glob().glob().contains('/');
    if is_name { glob.is_match(found.name) } else { glob.is_match(found.path) }
}
