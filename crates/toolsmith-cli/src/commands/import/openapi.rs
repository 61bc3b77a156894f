//! `toolsmith import openapi`: one definition for each operation of a document.

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use serde::Serialize;
use toolsmith_connectors::openapi::{self, Import, Options, Selection};
use toolsmith_core::Value;

use super::{
    source::Fetcher,
    writing::{Fate, Mode, Writing},
};
use crate::{
    Session,
    args::ImportOpenapi,
    compose::{self, Toolbox},
    exit::UsageError,
    output::{Colour, harmless, one_line},
    progress::Spinner,
    table::Table,
    wording::counted,
};

/// How many tools, and how many of the other things, are listed for people.
const SHOWN: usize = 15;

/// What was done; the fields that programs see are those of every import.
#[derive(Debug, Default, Serialize)]
struct Report {
    tools: Vec<String>,
    files: Vec<PathBuf>,
    warnings: Vec<String>,
    unmapped: Vec<Left>,
    #[serde(skip)]
    fates: Vec<Fate>,
    #[serde(skip)]
    requests: Vec<(String, String)>,
    #[serde(skip)]
    variables: Vec<String>,
    #[serde(skip)]
    folder: PathBuf,
    #[serde(skip)]
    is_dry: bool,
}

#[derive(Debug, Serialize)]
struct Left {
    operation: String,
    reason: String,
}

pub(super) fn run(session: &Session, wanted: &ImportOpenapi) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let spinner = Spinner::start(format!("reading {}", wanted.source));
    let fetcher = Fetcher {
        client: compose::client(&settings, &session.environment)?,
        patience: settings.limits.network_timeout,
        redactor: &session.redactor,
    };
    let source = fetcher.read(&wanted.source)?;
    spinner.say("making tools");
    let options = options(wanted, source.url);
    let import = openapi::import(&source.document, &options)
        .map_err(|why| UsageError::new(format!("{}: {why}", wanted.source)))?;
    spinner.say(format!("writing {}", counted(import.tools.len() as u64, "file")));
    let first = toolbox.definitions().folders().first().map(PathBuf::from);
    let folder = wanted
        .out
        .clone()
        .unwrap_or_else(|| first.unwrap_or_else(|| PathBuf::from("tools")).join(&import.name));
    let report = write(wanted, import, folder, &toolbox)?;
    drop(spinner);
    session.show(&report, |colour| report.text(colour))?;
    Ok(ExitCode::SUCCESS)
}

fn options(wanted: &ImportOpenapi, source: Option<toolsmith_net::Url>) -> Options {
    Options {
        source,
        base_url: wanted.base_url.clone(),
        prefix: wanted.prefix.clone(),
        selection: Selection {
            tags: wanted.tag.clone(),
            paths: wanted.path.clone(),
            methods: wanted.method.clone(),
            operations: wanted.operation.clone(),
        },
    }
}

fn write(
    wanted: &ImportOpenapi,
    import: Import,
    folder: PathBuf,
    toolbox: &Toolbox,
) -> Result<Report> {
    let mode = match (wanted.dry_run, wanted.force) {
        (true, _) => Mode::DryRun,
        (false, true) => Mode::Force,
        (false, false) => Mode::Careful,
    };
    let origin = format!("{} {}", import.title, import.version);
    let writing = Writing { folder: &folder, origin: origin.trim(), mode };
    let left = import.unmapped.into_iter();
    let mut report = Report {
        warnings: import.warnings,
        unmapped: left
            .map(|left| Left { operation: left.operation, reason: left.reason })
            .collect(),
        variables: import.variables,
        is_dry: wanted.dry_run,
        ..Report::default()
    };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    for definition in &import.tools {
        let name = text(definition.get("name"));
        let (path, fate) = writing.put(&name, definition)?;
        report.note(toolbox, &name, &path, fate);
        report.requests.push((
            text(definition.pointer("/entry/method")),
            text(definition.pointer("/entry/path")),
        ));
        report.files.push(path);
        report.fates.push(fate);
        report.tools.push(name);
    }
    report.folder = folder;
    Ok(report)
}

impl Report {
    /// Warns of a file that stays, and of a built-in tool that goes.
    fn note(&mut self, toolbox: &Toolbox, name: &str, path: &std::path::Path, fate: Fate) {
        if fate == Fate::Kept {
            self.warnings.push(format!(
                "{} was changed by hand and stays as it is; --force overwrites it",
                path.display()
            ));
        }
        if toolbox.builtins().iter().any(|tool| tool.spec.name.as_str() == name) {
            self.warnings.push(format!(
                "`{name}` is a built-in tool, whose place this definition takes; --prefix avoids it"
            ));
        }
    }

    fn text(&self, colour: Colour) -> String {
        let mut text = self.table(colour);
        text.push_str(&self.summary(colour));
        let unmapped =
            self.unmapped.iter().map(|left| format!("{}: {}", left.operation, left.reason));
        text.push_str(&listed(&colour.red("unmapped"), unmapped, self.unmapped.len()));
        let warnings = self.warnings.iter().cloned();
        text.push_str(&listed(&colour.bold("warning"), warnings, self.warnings.len()));
        if !self.variables.is_empty() {
            text.extend([format!("\nSet before the first call: {}\n", self.variables.join(", "))]);
        }
        if !self.is_dry && !self.tools.is_empty() {
            let folder = one_line(&self.folder.display().to_string());
            text.extend([format!("\nTry next:\n  toolsmith tools validate {folder}\n")]);
            text.extend([format!(
                "  toolsmith tools show {}\n",
                self.tools.first().map_or("", String::as_str)
            )]);
        }
        text
    }

    fn table(&self, colour: Colour) -> String {
        if self.tools.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["NAME", "METHOD", "PATH"]);
        for (name, (method, path)) in self.tools.iter().zip(&self.requests).take(SHOWN) {
            table.row([name.as_str(), method.as_str(), path.as_str()]);
        }
        let mut text = table.render(colour);
        if let Some(more) = self.tools.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            text.extend([format!("… and {more} more\n")]);
        }
        text + "\n"
    }

    fn summary(&self, colour: Colour) -> String {
        let folder = one_line(&self.folder.display().to_string());
        let (created, renewed) =
            if self.is_dry { ("would create", "would renew") } else { ("created", "renewed") };
        let fates = [Fate::Created, Fate::Renewed, Fate::Unchanged, Fate::Kept];
        let words = [created, renewed, "unchanged", "kept"];
        let mut text = String::new();
        for (fate, word) in fates.into_iter().zip(words) {
            let count = self.fates.iter().filter(|other| **other == fate).count();
            if count > 0 {
                let count = counted(count as u64, "file");
                text.extend([format!("{} {count} in {folder}\n", colour.green(word))]);
            }
        }
        if self.fates.is_empty() {
            text.push_str("the document has no operation that a tool could be made of\n");
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
