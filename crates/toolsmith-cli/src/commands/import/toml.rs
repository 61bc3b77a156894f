//! `toolsmith import toml`: an old registry in TOML becomes definitions.

use std::{path, process::ExitCode};

use anyhow::Result;
use toolsmith_definitions::toml_registry::{FILE_NAME, Unmapped};

use super::report::{self, Report, Target, Whole};
use crate::{Session, args::ImportToml, compose::Toolbox, exit::UsageError};

pub(super) fn run(session: &Session, wanted: &ImportToml) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let shown = wanted.path.display();
    if !wanted.path.exists() {
        return Err(UsageError::new(format!("there is no file or folder `{shown}`")).into());
    }
    let migration = toolbox.definitions().migrate(&wanted.path);
    if migration.tools.is_empty() && migration.problems.is_empty() && migration.groups.is_empty() {
        let message = format!("{shown} has no {FILE_NAME} that names a tool");
        return Err(UsageError::new(message).into());
    }
    let folder = report::folder(wanted.out.as_deref(), &toolbox);
    let target = Target::new(folder, named(&wanted.path), wanted.handling);
    let source = Whole::without(&migration.problems);
    let mut report = Report::default();
    report.warnings.extend(migration.warnings.iter().map(ToString::to_string));
    report.unmapped = migration.unmapped;
    report.unmapped.extend(migration.problems.into_iter().map(|problem| Unmapped {
        operation: problem.file.display().to_string(),
        reason: problem.to_string(),
    }));
    for tool in &migration.tools {
        let from = tool.from.display();
        let origin = match &tool.function {
            Some(function) => format!("{from}, where `{function}` ran it"),
            None => from.to_string(),
        };
        report.put(&target, &origin, &tool.definition)?;
    }
    report.put_groups(&target, &shown.to_string(), migration.groups)?;
    if is_below(&wanted.path, toolbox.definitions().folders()) {
        report.warnings.push(format!(
            "{shown} is in a tool folder: once the new files are there, remove {FILE_NAME}, or both \
             define the same tools"
        ));
    }
    report.finish(&target, &[], source);
    session.show(&report, |colour| report.text(&target, colour) + &report.next(&target))?;
    Ok(ExitCode::SUCCESS)
}

/// Names a registry, however its folder is written.
fn named(path: &path::Path) -> String {
    let is_file = path.file_name().is_some_and(|name| name == FILE_NAME);
    let folder = path.parent().filter(|_| is_file).unwrap_or(path);
    let steps = folder.components().filter(|step| *step != path::Component::CurDir);
    format!("toml {}", steps.collect::<path::PathBuf>().display())
}

fn is_below(path: &path::Path, folders: &[path::PathBuf]) -> bool {
    let Ok(path) = path::absolute(path) else { return false };
    let inside = |folder: &path::PathBuf| path::absolute(folder).is_ok_and(|f| path.starts_with(f));
    folders.iter().any(inside)
}
