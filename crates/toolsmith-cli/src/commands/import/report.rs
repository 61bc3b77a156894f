//! What an import has done, for programs and for people.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;
use toolsmith_core::{ToolName, Value};
use toolsmith_definitions::toml_registry::Unmapped;

use super::writing::{Fate, Mode, Writing};
use crate::{
    compose::Toolbox,
    output::{Colour, harmless, one_line},
    wording::counted,
};

/// How many lines of a kind are shown to people.
const SHOWN: usize = 15;

/// What was done; the fields that programs see are those of every import.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) tools: Vec<String>,
    pub(super) files: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
    pub(super) unmapped: Vec<Unmapped>,
    #[serde(skip)]
    fates: Vec<Fate>,
    #[serde(skip)]
    folder: PathBuf,
    #[serde(skip)]
    is_dry: bool,
}

/// Where an import writes, and what it overwrites.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) folder: PathBuf,
    pub(super) mode: Mode,
}

impl Target {
    /// Takes the flags; without a folder the first one of the tools is meant.
    pub(super) fn new(out: Option<&Path>, mode: Mode, toolbox: &Toolbox) -> Self {
        let first = || toolbox.definitions().folders().first().cloned();
        let folder = out.map(Path::to_owned).or_else(first);
        Self { folder: folder.unwrap_or_else(|| PathBuf::from("tools")), mode }
    }
}

/// Reads the two flags that say what happens to files.
pub(super) fn mode(dry_run: bool, force: bool) -> Mode {
    match (dry_run, force) {
        (true, _) => Mode::DryRun,
        (false, true) => Mode::Force,
        (false, false) => Mode::Careful,
    }
}

impl Report {
    /// Begins with nothing written.
    pub(super) fn to(target: &Target) -> Self {
        Self {
            folder: target.folder.clone(),
            is_dry: target.mode == Mode::DryRun,
            ..Self::default()
        }
    }

    /// Writes a tool, unless it cannot be one.
    pub(super) fn put(&mut self, target: &Target, origin: &str, definition: &Value) -> Result<()> {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Err(error) = ToolName::new(&name) {
            let reason = error.message().to_owned();
            self.unmapped.push(Unmapped { operation: origin.to_owned(), reason });
            return Ok(());
        }
        if self.tools.contains(&name) {
            let reason = format!("`{name}` is defined before it already");
            self.unmapped.push(Unmapped { operation: origin.to_owned(), reason });
            return Ok(());
        }
        let writing = Writing { folder: &target.folder, origin, mode: target.mode };
        // A file whose name begins with a dot would not be read.
        let (path, fate) = if name.starts_with('.') {
            writing.put_file(&format!("tool{name}.yaml"), definition)?
        } else {
            writing.put(&name, definition)?
        };
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
        let writing = Writing { folder: &target.folder, origin, mode: target.mode };
        let (path, fate) = writing.put_file("groups.yaml", &Value::Array(groups))?;
        self.note(path, fate);
        Ok(())
    }

    fn note(&mut self, path: PathBuf, fate: Fate) {
        if fate == Fate::Kept {
            self.warnings.push(format!(
                "{} was changed by hand and stays as it is; --force overwrites it",
                path.display()
            ));
        }
        self.files.push(path);
        self.fates.push(fate);
    }

    /// Says it to people.
    pub(super) fn text(&self, colour: Colour) -> String {
        let mut text = self.summary(colour);
        let warnings = self.warnings.iter().cloned();
        text.push_str(&listed(&colour.bold("warning"), warnings, self.warnings.len()));
        let left = self.unmapped.iter().map(|left| format!("{}: {}", left.operation, left.reason));
        text.push_str(&listed(&colour.faint("unmapped"), left, self.unmapped.len()));
        if !self.is_dry && !self.tools.is_empty() {
            let folder = one_line(&self.folder.display().to_string());
            text.extend([format!("\nTry next:\n  toolsmith tools validate {folder}\n")]);
        }
        text
    }

    fn summary(&self, colour: Colour) -> String {
        let folder = one_line(&self.folder.display().to_string());
        let would = if self.is_dry { "would be " } else { "" };
        let words = [
            (Fate::Created, "created"),
            (Fate::Renewed, "renewed"),
            (Fate::Unchanged, "unchanged"),
            (Fate::Kept, "kept"),
        ];
        let mut text = format!("{} in {folder}\n", counted(self.tools.len() as u64, "tool"));
        for (fate, word) in words {
            let count = self.fates.iter().filter(|other| **other == fate).count();
            if count > 0 {
                let count = counted(count as u64, "file");
                text.extend([format!("{count} {would}{}\n", colour.green(word))]);
            }
        }
        text
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
