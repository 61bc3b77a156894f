//! `toolsmith tools validate`: checks definitions, and runs nothing.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use serde::Serialize;
use toolsmith_definitions::{Problem, Strictness};

use crate::{
    Session,
    compose::Toolbox,
    config::Settings,
    exit::{self, UsageError},
    output::{Colour, harmless},
    wording::counted,
};

/// What counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Problems,
    Warnings,
}

#[derive(Serialize)]
struct Report {
    /// How many tools could be loaded.
    valid: usize,
    groups: usize,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
}

pub(super) fn run(
    session: &Session,
    settings: &Settings,
    paths: &[PathBuf],
    depth: Depth,
) -> Result<ExitCode> {
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        let message = format!("there is no file or folder `{}`", missing.display());
        return Err(UsageError::new(message).into());
    }
    let toolbox = if paths.is_empty() {
        Toolbox::open(session, settings)?
    } else {
        Toolbox::at(session, settings, paths.to_vec())?
    };
    let strictness = match depth {
        Depth::Warnings => Strictness::Strict,
        Depth::Problems if settings.strict_validation => Strictness::Strict,
        Depth::Problems => Strictness::Validating,
    };
    let loaded = toolbox.definitions().clone().with_strictness(strictness).load();
    let report = Report {
        valid: loaded.tools.len(),
        groups: loaded.groups.len(),
        problems: loaded.problems,
        warnings: loaded.warnings,
    };
    let folders = toolbox.definitions().folders();
    session.show(&report, |colour| report.text(colour, folders))?;
    Ok(if report.is_fine() { ExitCode::SUCCESS } else { exit::USAGE.into() })
}

impl Report {
    fn is_fine(&self) -> bool {
        self.problems.is_empty()
    }

    fn text(&self, colour: Colour, folders: &[PathBuf]) -> String {
        let problems = self.problems.iter().map(|problem| line(&colour.red("problem"), problem));
        let warnings = self.warnings.iter().map(|warning| line(&colour.bold("warning"), warning));
        problems.chain(warnings).chain([self.sum(colour), self.hint(folders)]).collect()
    }

    fn sum(&self, colour: Colour) -> String {
        let tools = counted(self.valid as u64, "tool");
        if self.is_fine() {
            return format!("{} {tools}\n", colour.green("ok"));
        }
        let problems = counted(self.problems.len() as u64, "problem");
        format!("{problems}; {tools} could be loaded\n")
    }

    /// Says how to begin to somebody who has no definitions at all.
    fn hint(&self, folders: &[PathBuf]) -> String {
        if self.valid > 0 || !self.is_fine() || folders.iter().any(|folder| folder.exists()) {
            return String::new();
        }
        let folder = folders.first().map_or(Path::new("tools"), PathBuf::as_path).display();
        format!(
            "There is no folder `{folder}` yet: `toolsmith tools new command greet` makes it, with a \
             first tool.\n"
        )
    }
}

fn line(word: &str, problem: &Problem) -> String {
    format!("{word} {}\n", harmless(&problem.to_string()))
}
