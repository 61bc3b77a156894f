//! How long definition files take: all of them at the start, one of them later.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use toolsmith_core::{Redactor, Vault};
use toolsmith_definitions::{Definitions, Makers};
use toolsmith_engine::Engine;

use crate::{
    arguments::Arguments,
    machine::{median, rounded},
};

/// How many files stand in one folder.
const FOLDER: usize = 500;

pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    let files = arguments.number("files", 10_000)?;
    serde_json::to_writer_pretty(std::io::stdout(), &measure(files)?)?;
    Ok(())
}

fn measure(files: usize) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    for number in 0..files {
        write(folder.path(), number, "first")?;
    }
    let makers = Makers::new().with_handlers(toolsmith_builtins::all()?);
    let vault = Vault::with_values([("NONE", "")], Redactor::default());
    let definitions = Definitions::open(vec![folder.path().to_owned()], makers, vault);
    let engine = Engine::builder().tools(toolsmith_builtins::all()?).build()?;

    let reading = seconds(|| read_all(folder.path(), files))?;
    let loading = seconds(|| {
        let loaded = definitions.attach(&engine);
        ensure!(loaded.added.len() == files, "{} of {files} loaded", loaded.added.len());
        Ok(())
    })?;
    let (mut reloads, mut reads) = (Vec::new(), 0);
    for round in 0..5 {
        // A file that was written a moment ago is read once more, in case it was not whole yet.
        std::thread::sleep(Duration::from_millis(200));
        definitions.reload();
        let number = round * files / 5;
        write(folder.path(), number, &format!("round {round}"))?;
        let before = definitions.reads();
        reloads.push(seconds(|| {
            let reloaded = definitions.reload();
            ensure!(reloaded.updated.len() == 1, "{:?} updated", reloaded.updated);
            Ok(())
        })?);
        reads = definitions.reads() - before;
    }
    Ok(json!({
        "files": files,
        "load_s": rounded(loading),
        "load_vs_reading_the_bytes": rounded(loading / reading),
        "reload_one_ms": rounded(median(reloads) * 1_000.0),
        "files_read_for_one_change": reads,
    }))
}

fn seconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

fn path(folder: &Path, number: usize) -> std::path::PathBuf {
    folder.join(format!("part_{}", number / FOLDER)).join(format!("tool_{number}.yaml"))
}

fn write(folder: &Path, number: usize, word: &str) -> Result<()> {
    let path = path(folder, number);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, definition(number, word))?;
    Ok(())
}

fn read_all(folder: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        std::hint::black_box(fs::read(path(folder, number))?);
    }
    Ok(())
}

/// A definition of ordinary size.
fn definition(number: usize, word: &str) -> String {
    format!(
        "name: tool_{number}
version: \"1.2.0\"
description: Looks up entry {number} of the catalogue, {word}.
category: data
tags: [catalogue, lookup]
parameters:
  - name: query
    type: string
    required: true
    description: What to look for.
    validation:
      min_length: 1
  - name: limit
    type: integer
    default: 10
    validation: {{min: 1, max: 100}}
  - name: language
    type: string
    enum: [en, zh, de]
annotations:
  read_only: true
entry:
  type: builtin
  handler: echo
"
    )
}
