//! `toolsmith init`: prepares a folder, and never overwrites anything.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::{
    Session,
    args::Init,
    config::{self, FILE_NAME},
    output::{Colour, one_line},
};

const TOOLS_README: &str = "\
# Tools

The place for tool definitions of your own: every `.yaml`, `.yml` and `.json` file here, in folders
too, defines tools.

    toolsmith tools new command greet    write a first one, which runs as it is
    toolsmith run greet who=you          call it
    toolsmith tools validate             check all of them, and run nothing
    toolsmith tools list                 see them beside the built-in ones

A program that runs for long notices changed files by itself. `groups.yaml` puts tools into groups.
";

/// The folder that holds the database, in the words of `.gitignore`.
const IGNORED: &str = ".toolsmith/";

/// What was done; paths are relative to the folder.
#[derive(Debug, Default, Serialize)]
struct Report {
    folder: String,
    created: Vec<String>,
    changed: Vec<String>,
    kept: Vec<String>,
    next: Vec<String>,
}

/// Prepares the folder.
pub(crate) fn run(session: &Session, init: &Init) -> Result<ExitCode> {
    let folder = init.folder.as_path();
    let mut report = Report { folder: folder.display().to_string(), ..Report::default() };
    fs::create_dir_all(folder.join("tools"))
        .with_context(|| format!("cannot make the folder {}", folder.join("tools").display()))?;
    report.create(folder, FILE_NAME, &config::starter())?;
    report.create(folder, "tools/README.md", TOOLS_README)?;
    if folder.join(".git").exists() {
        report.ignore(folder)?;
    }
    if folder != Path::new(".") {
        report.next.push(format!("cd {}", report.folder));
    }
    report.next.push("toolsmith run echo message=hi".to_owned());
    report.next.push("toolsmith tools new command greet".to_owned());
    report.next.push("toolsmith tools list".to_owned());
    session.output.show(&report, |colour| report.text(colour))?;
    Ok(ExitCode::SUCCESS)
}

impl Report {
    fn create(&mut self, folder: &Path, name: &str, content: &str) -> Result<()> {
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        match file.and_then(|mut file| file.write_all(content.as_bytes())) {
            Ok(()) => self.created.push(name.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.kept.push(name.to_owned());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot write {}", path.display()));
            }
        }
        Ok(())
    }

    /// Adds a line to `.gitignore`, behind the ones that are there.
    fn ignore(&mut self, folder: &Path) -> Result<()> {
        const NAME: &str = ".gitignore";
        let path = folder.join(NAME);
        if !path.exists() {
            return self.create(folder, NAME, &format!("{IGNORED}\n"));
        }
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let is_there = |line: &str| line.trim().trim_matches('/') == IGNORED.trim_matches('/');
        if text.lines().any(is_there) {
            self.kept.push(NAME.to_owned());
            return Ok(());
        }
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{gap}{IGNORED}\n").as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        self.changed.push(NAME.to_owned());
        Ok(())
    }

    fn text(&self, colour: Colour) -> String {
        let lines = |word: &str, names: &[String]| -> String {
            let names = names.iter().map(|name| one_line(name));
            names
                .flat_map(|name| [word.to_owned(), " ".to_owned(), name, "\n".to_owned()])
                .collect()
        };
        let mut text = lines(&colour.green("created"), &self.created);
        text.push_str(&lines(&colour.green("changed"), &self.changed));
        text.push_str(&lines(&colour.faint("kept   "), &self.kept));
        text.push_str("\nTry next:\n");
        text.push_str(&lines(" ", &self.next));
        text
    }
}
