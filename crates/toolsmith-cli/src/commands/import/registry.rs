//! `toolsmith import registry`: an old registry in JSON becomes definitions.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Result;
use toolsmith_core::Value;
use toolsmith_definitions::json_registry::{self, FILE_NAMES, Files};

use super::report::{self, Report, Target, Whole};
use crate::{
    Session, args::ImportRegistry, compose::Toolbox, exit::UsageError, files, wording::json_mistake,
};

/// The largest file that is read, in bytes.
const LONGEST: usize = 64 << 20;

pub(super) fn run(session: &Session, wanted: &ImportRegistry) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let read = read_all(&wanted.paths)?;
    let folder = report::folder(wanted.out.as_deref(), &toolbox);
    let base = base_of(&wanted.paths);
    let rebase = |path: &str| files::rebased(path, &base, &folder);
    let imported = json_registry::import(&read, &rebase);
    let mut report = Report::default();
    (report.warnings, report.unmapped) = (imported.warnings, imported.unmapped);
    let paths: Vec<String> = wanted.paths.iter().map(|path| path.display().to_string()).collect();
    let origin = paths.join(", ");
    let target = Target::new(folder, format!("registry {origin}"), wanted.handling);
    for definition in &imported.definitions {
        report.put(&target, &origin, definition)?;
    }
    report.put_groups(&target, &origin, imported.groups)?;
    report.finish(&target, &[], Whole::Yes);
    session.show(&report, |colour| report.text(&target, colour) + &report.next(&target))?;
    Ok(ExitCode::SUCCESS)
}

fn read_all(paths: &[PathBuf]) -> Result<Files> {
    let mut all = Files::default();
    let mut has_any = false;
    for path in paths {
        let inside: Vec<PathBuf> = if path.is_dir() {
            FILE_NAMES.iter().map(|name| path.join(name)).filter(|file| file.exists()).collect()
        } else {
            vec![path.clone()]
        };
        for file in inside {
            let value = read(&file)?;
            has_any = true;
            match file.file_name().and_then(|name| name.to_str()) {
                Some("sources.json") => all.sources = value,
                Some("groups.json") => all.groups = value,
                _ => all.registry = value,
            }
        }
    }
    if !has_any {
        let message = format!("there is none of {} here", FILE_NAMES.join(", "));
        return Err(UsageError::new(message).into());
    }
    Ok(all)
}

fn read(file: &Path) -> Result<Value> {
    let shown = file.display();
    let text = files::read_text(file, LONGEST).map_err(|error| {
        UsageError::new(format!("cannot read {shown}: {}", files::explain(&error)))
    })?;
    let value = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        UsageError::new(format!("{shown}:{line}:{column}: {}", json_mistake(&error)))
    });
    Ok(value?)
}

/// Returns the folder that folders in a registry begin at.
fn base_of(paths: &[PathBuf]) -> PathBuf {
    let folder = |path: &PathBuf| {
        if path.is_dir() { Some(path.clone()) } else { path.parent().map(Path::to_owned) }
    };
    let is_data = |folder: &PathBuf| folder.file_name().is_some_and(|name| name == "data");
    let data = paths.iter().filter_map(folder).find(is_data);
    data.and_then(|data| data.parent().map(Path::to_owned)).unwrap_or_default()
}
