//! `toolsmith tools new`: the beginning of a definition, which runs as it is.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use toolsmith_core::ToolName;
use toolsmith_definitions::scaffold;

use crate::{
    Session,
    compose::Toolbox,
    config::Settings,
    exit::UsageError,
    files,
    output::{Colour, one_line},
};

/// What to make, and where.
pub(super) struct Wanted<'a> {
    pub(super) kind: &'a str,
    pub(super) name: &'a str,
    pub(super) to: Option<&'a Path>,
}

#[derive(Serialize)]
struct Report {
    file: PathBuf,
    /// What the definition needs besides: a program, a recipe of an image.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<PathBuf>,
    kind: String,
    name: String,
    /// Whose name it is already.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    next: [String; 2],
}

pub(super) fn run(session: &Session, settings: &Settings, wanted: &Wanted<'_>) -> Result<ExitCode> {
    let name = ToolName::new(wanted.name).map_err(|error| UsageError::new(error.message()))?;
    let files = scaffold::files(wanted.kind, &name)
        .with_context(|| format!("there is no beginning for `{}`", wanted.kind))?;
    let toolbox = Toolbox::open(session, settings)?;
    let folder = wanted.to.or_else(|| toolbox.definitions().folders().first().map(AsRef::as_ref));
    let folder = folder.unwrap_or_else(|| Path::new("tools"));
    let note = note(&toolbox, &name);
    let file = folder.join(format!("{name}.yaml"));
    let mut others = Vec::new();
    for made in &files {
        let path = folder.join(&made.path);
        write(&path, &made.text)?;
        others.extend(Some(path).filter(|path| *path != file));
    }
    let example = scaffold::example(wanted.kind);
    let report = Report {
        next: [
            format!("toolsmith tools validate {}", file.display()),
            format!("toolsmith run {name} {example}").trim_end().to_owned(),
        ],
        kind: wanted.kind.to_owned(),
        name: name.to_string(),
        note,
        file,
        others,
    };
    session.output.show(&report, |colour| report.text(colour))?;
    Ok(ExitCode::SUCCESS)
}

/// Says whose name it is already; asked before the file is there.
fn note(toolbox: &Toolbox, name: &ToolName) -> Option<String> {
    if toolbox.definitions().load().tools.iter().any(|tool| tool.spec.name == *name) {
        return Some(format!(
            "`{name}` is defined in another file already: choose another name, or a version of its \
             own"
        ));
    }
    let is_built_in = toolbox.builtins().iter().any(|tool| tool.spec.name == *name);
    is_built_in.then(|| format!("`{name}` is a built-in tool: this definition takes its place"))
}

/// Writes a file that must not be there yet.
fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let made = OpenOptions::new().write(true).create_new(true).open(file);
    match made.and_then(|mut made| made.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let file = file.display();
            let message = format!("{file} is there already; choose another name, or remove it");
            Err(UsageError::new(message).into())
        }
        Err(error) => {
            anyhow::bail!("cannot write {}: {}", file.display(), files::explain(&error))
        }
    }
}

impl Report {
    fn text(&self, colour: Colour) -> String {
        let created = colour.green("created");
        let files = [&self.file]
            .into_iter()
            .chain(&self.others)
            .map(|file| format!("{created} {}\n", one_line(&file.display().to_string())));
        let files: String = files.collect();
        let [check, run] = self.next.each_ref().map(|line| one_line(line));
        let note = self.note.as_ref().map(|note| format!("{} {note}\n", colour.bold("note")));
        let note = note.unwrap_or_default();
        format!("{files}{note}\nTry next:\n  {check}\n  {run}\n")
    }
}
