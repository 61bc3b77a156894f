//! `toolsmith export registry`: the three files of an old tool service.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result};
use serde::Serialize;
use toolsmith_core::{Tool, Value, Version};
use toolsmith_definitions::{
    Definitions,
    json_registry::{self, FILE_NAMES, Offered},
    toml_registry::Unmapped,
};

use crate::{
    Session,
    args::ExportRegistry,
    compose::Toolbox,
    exit::UsageError,
    files,
    output::{Colour, harmless, one_line},
    wording::counted,
};

/// A definition as it is written, by name and version, with the folder it stands in.
type Written = BTreeMap<(String, Version), (PathBuf, Value)>;

/// Turns the paths of a definition into paths of the registry.
type Rebase<'a> = Box<dyn Fn(&str) -> String + 'a>;

#[derive(Debug, Serialize)]
struct Report {
    tools: Vec<String>,
    files: Vec<PathBuf>,
    unmapped: Vec<Unmapped>,
}

pub(super) fn run(session: &Session, wanted: &ExportRegistry) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let loaded = toolbox.definitions().load();
    let mut tools = loaded.tools;
    if wanted.all {
        let defined: Vec<_> = tools.iter().map(|tool| tool.spec.name.clone()).collect();
        tools.extend(
            toolbox.builtins().into_iter().filter(|tool| !defined.contains(&tool.spec.name)),
        );
    }
    let written = written(toolbox.definitions());
    let here = Path::new("");
    let rebases: Vec<Rebase<'_>> =
        tools.iter().map(|tool| rebase(folder_of(tool, &written), here)).collect();
    let offered = tools.iter().zip(&rebases).map(|(tool, rebase)| Offered {
        spec: &tool.spec,
        definition: written.get(&key(tool)).map_or(&Value::Null, |(_, definition)| definition),
        rebase: &**rebase,
    });
    let exported = json_registry::export(offered, &loaded.groups);
    let files = [exported.files.registry, exported.files.sources, exported.files.groups];
    let mut report = Report {
        tools: tools.iter().map(|tool| tool.spec.name.to_string()).collect(),
        files: Vec::new(),
        unmapped: exported.unmapped,
    };
    report.tools.sort();
    report.tools.dedup();
    let texts = texts(session, files)?;
    refuse_changes(wanted, &texts)?;
    for (name, text) in FILE_NAMES.into_iter().zip(texts) {
        report.files.push(write(&wanted.out, name, &text)?);
    }
    session.show(&report, |colour| report.text(colour))?;
    Ok(ExitCode::SUCCESS)
}

fn key(tool: &Tool) -> (String, Version) {
    (tool.spec.name.to_string(), tool.spec.version.clone())
}

fn folder_of<'a>(tool: &Tool, written: &'a Written) -> &'a Path {
    written.get(&key(tool)).map_or(Path::new(""), |(folder, _)| folder)
}

fn rebase<'a>(folder: &'a Path, here: &'a Path) -> Rebase<'a> {
    Box::new(move |path| files::rebased(path, folder, here))
}

/// Reads the definitions as they are written; of two with one name and version the first counts.
fn written(definitions: &Definitions) -> Written {
    let mut written = Written::new();
    for (file, definition) in definitions.written() {
        let name = definition.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let version = definition.get("version").and_then(Value::as_str);
        let version = version.and_then(|version| version.parse().ok()).unwrap_or_default();
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        written.entry((name, version)).or_insert((folder, definition));
    }
    written
}

/// Writes the values as text, without the secrets in use.
fn texts(session: &Session, files: [Value; 3]) -> Result<Vec<String>> {
    let text = |mut value: Value| {
        session.redactor.value(&mut value);
        Ok(serde_json::to_string_pretty(&value)? + "\n")
    };
    files.into_iter().map(text).collect()
}

fn refuse_changes(wanted: &ExportRegistry, texts: &[String]) -> Result<()> {
    for (name, text) in FILE_NAMES.into_iter().zip(texts) {
        let path = wanted.out.join(name);
        let is_other = fs::read(&path).is_ok_and(|there| there != text.as_bytes());
        if is_other && !wanted.force {
            let path = path.display();
            let message = format!("{path} is there and different; --force overwrites it");
            return Err(UsageError::new(message).into());
        }
    }
    Ok(())
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(name);
    if let Err(error) = fs::write(&path, text) {
        anyhow::bail!("cannot write {}: {}", path.display(), files::explain(&error));
    }
    Ok(path)
}

impl Report {
    fn text(&self, colour: Colour) -> String {
        let count = counted(self.tools.len() as u64, "tool");
        let mut text = format!("{} {count}\n", colour.green("exported"));
        for file in &self.files {
            text.extend([format!("wrote {}\n", one_line(&file.display().to_string()))]);
        }
        for left in &self.unmapped {
            let line =
                format!("{} {}: {}\n", colour.faint("unmapped"), left.operation, left.reason);
            text.push_str(&harmless(&line));
        }
        text
    }
}
