//! What an import has done, for programs and for people.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::Serialize;
use toolsmith_core::{ToolName, Value};
use toolsmith_definitions::toml_registry::Unmapped;

use super::writing::{Fate, Mode, Writing, file_name};
use crate::{
    args::Handling,
    compose::Toolbox,
    files,
    output::{Colour, harmless, one_line},
    wording::counted,
};

/// How many lines of a kind are shown to people.
pub(super) const SHOWN: usize = 15;

/// The file that groups are written to.
const GROUPS: &str = "groups.yaml";

/// What was done; the fields that programs see are those of every import.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) tools: Vec<String>,
    pub(super) files: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
    pub(super) unmapped: Vec<Unmapped>,
    /// Files of an earlier import whose tools are no longer there.
    vanished: Vec<Vanished>,
    #[serde(skip)]
    fates: Vec<Fate>,
    #[serde(skip)]
    names: HashSet<String>,
}

/// A file that nothing is imported into any more.
#[derive(Debug, Serialize)]
struct Vanished {
    file: PathBuf,
    fate: Gone,
}

/// What became of a file that nothing is imported into any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Gone {
    /// It is still there, since nobody asked for its removal.
    Left,
    Removed,
    /// Somebody has changed it, so it is still there.
    Changed,
}

/// Whether all of a source could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whole {
    Yes,
    No,
}

impl Whole {
    /// Tells it from what went wrong.
    pub(super) fn without<T>(problems: &[T]) -> Self {
        if problems.is_empty() { Self::Yes } else { Self::No }
    }
}

/// Where an import writes, and what it overwrites.
#[derive(Debug)]
pub(super) struct Target {
    folder: PathBuf,
    /// What is imported, by a name that is the same the next time.
    source: String,
    handling: Handling,
}

impl Target {
    /// Names a place for what is imported.
    pub(super) fn new(folder: PathBuf, source: String, handling: Handling) -> Self {
        Self { folder, source, handling }
    }

    fn writing(&self) -> Writing<'_> {
        let mode = match (self.handling.dry_run, self.handling.force) {
            (true, _) => Mode::DryRun,
            (false, true) => Mode::Force,
            (false, false) => Mode::Careful,
        };
        Writing { folder: &self.folder, source: &self.source, mode }
    }

    fn shown(&self) -> String {
        one_line(&self.folder.display().to_string())
    }
}

/// Returns the folder that is asked for, or the first one of the tools.
pub(super) fn folder(out: Option<&Path>, toolbox: &Toolbox) -> PathBuf {
    let first = || toolbox.definitions().folders().first().cloned();
    out.map(Path::to_owned).or_else(first).unwrap_or_else(|| PathBuf::from("tools"))
}

impl Report {
    /// Writes a tool, unless it cannot be one.
    pub(super) fn put(&mut self, target: &Target, origin: &str, definition: &Value) -> Result<()> {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let refused = match ToolName::new(&name) {
            Err(error) => Some(error.message().to_owned()),
            Ok(_) if !self.names.insert(name.clone()) => {
                Some(format!("`{name}` is defined before it already"))
            }
            Ok(_) => None,
        };
        if let Some(reason) = refused {
            self.unmapped.push(Unmapped { operation: origin.to_owned(), reason });
            return Ok(());
        }
        let (path, fate) = target.writing().put(&file_name(&name), origin, definition)?;
        self.tools.push(name);
        self.note(path, fate);
        Ok(())
    }

    /// Writes the groups beside the tools.
    pub(super) fn put_groups(
        &mut self,
        target: &Target,
        origin: &str,
        groups: Vec<Value>,
    ) -> Result<()> {
        if groups.is_empty() {
            return Ok(());
        }
        let (path, fate) = target.writing().put(GROUPS, origin, &Value::Array(groups))?;
        self.note(path, fate);
        Ok(())
    }

    fn note(&mut self, path: PathBuf, fate: Fate) {
        let shown = path.display();
        let why = match fate {
            Fate::Kept => Some("was changed by hand and stays as it is; --force overwrites it"),
            Fate::Foreign => {
                Some("comes from another import and stays as it is; --force overwrites it")
            }
            Fate::Created | Fate::Renewed | Fate::Unchanged => None,
        };
        self.warnings.extend(why.map(|why| format!("{shown} {why}")));
        self.files.push(path);
        self.fates.push(fate);
    }

    /// Finds what an earlier import has left, and removes it if that is wanted.
    ///
    /// `others` are tools that are still there, although nothing was written for them this time.
    /// Of a source that could not be read whole, nobody knows what is gone, so nothing is removed.
    pub(super) fn finish(&mut self, target: &Target, others: &[String], source: Whole) {
        let prune = target.handling.prune && source == Whole::Yes;
        if prune != target.handling.prune {
            let why = "nothing was removed, since not everything could be read";
            self.warnings.push(why.to_owned());
        }
        let mut files: HashSet<String> = others.iter().map(|name| file_name(name)).collect();
        let names = self.files.iter().filter_map(|file| file.file_name()?.to_str());
        files.extend(names.map(str::to_owned));
        for (file, is_untouched) in target.writing().others(&files) {
            let fate = match (is_untouched, prune) {
                (false, _) => Gone::Changed,
                (true, false) => Gone::Left,
                (true, true) if target.handling.dry_run => Gone::Removed,
                (true, true) => match fs::remove_file(&file) {
                    Ok(()) => Gone::Removed,
                    Err(error) => {
                        let (shown, why) = (file.display(), files::explain(&error));
                        self.warnings.push(format!("cannot remove {shown}: {why}"));
                        Gone::Left
                    }
                },
            };
            self.vanished.push(Vanished { file, fate });
        }
    }

    /// Says to people what was written, and what there is to say about it.
    pub(super) fn text(&self, target: &Target, colour: Colour) -> String {
        let mut text = self.summary(target, colour);
        let left = self.unmapped.iter().map(|left| format!("{}: {}", left.operation, left.reason));
        text.push_str(&listed(&colour.red("unmapped"), left, self.unmapped.len()));
        text.push_str(&listed(
            &colour.bold("warning"),
            self.warnings.iter().cloned(),
            self.warnings.len(),
        ));
        let gone = self.vanished.iter().map(|gone| gone.text(target));
        text.push_str(&listed(&colour.bold("vanished"), gone, self.vanished.len()));
        text
    }

    /// Says to people what to do with the tools.
    pub(super) fn next(&self, target: &Target) -> String {
        match (target.handling.dry_run, self.tools.first()) {
            (false, Some(first)) => {
                let folder = target.shown();
                format!(
                    "\nTry next:\n  toolsmith tools validate {folder}\n  toolsmith tools show {first}\n"
                )
            }
            _ => String::new(),
        }
    }

    fn summary(&self, target: &Target, colour: Colour) -> String {
        let (created, renewed) = if target.handling.dry_run {
            ("would create", "would renew")
        } else {
            ("created", "renewed")
        };
        let words = [
            (Fate::Created, created),
            (Fate::Renewed, renewed),
            (Fate::Unchanged, "unchanged"),
            (Fate::Kept, "kept"),
            (Fate::Foreign, "left alone"),
        ];
        let mut text = String::new();
        for (fate, word) in words {
            let count = self.fates.iter().filter(|other| **other == fate).count();
            if count > 0 {
                let count = counted(count as u64, "file");
                text.extend([format!("{} {count} in {}\n", colour.green(word), target.shown())]);
            }
        }
        text
    }
}

impl Vanished {
    fn text(&self, target: &Target) -> String {
        let shown = self.file.display();
        match self.fate {
            Gone::Left => format!("{shown}: its tool is gone; --prune removes the file"),
            Gone::Changed => {
                format!("{shown}: its tool is gone, but the file was changed by hand and stays")
            }
            Gone::Removed if target.handling.dry_run => format!("{shown} would be removed"),
            Gone::Removed => format!("{shown} was removed"),
        }
    }
}

/// Lists the first of many.
fn listed(word: &str, lines: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = String::new();
    for line in lines.take(SHOWN) {
        text.extend([format!("{word} {}\n", harmless(&one_line(&line)))]);
    }
    if let Some(more) = count.checked_sub(SHOWN).filter(|more| *more > 0) {
        text.extend([format!("{word} … and {more} more; --json lists them all\n")]);
    }
    text
}
