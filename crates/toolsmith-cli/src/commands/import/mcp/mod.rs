//! `toolsmith import mcp`: the MCP servers of another client, as `mcpServers` of ours.

mod jsonc;
mod servers;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result};
use serde::Serialize;

use self::servers::Servers;
use crate::{
    Session,
    args::ImportMcp,
    config::{Environment, FILE_NAME},
    exit::UsageError,
    files,
};

/// The largest file that is read, in bytes.
const LARGEST: usize = 8 * 1024 * 1024;

/// What was taken over.
#[derive(Debug, Serialize)]
struct Report {
    source: String,
    /// The file that was written; nothing when there was one already.
    written: Option<String>,
    servers: Vec<String>,
    notes: Vec<String>,
    yaml: String,
}

pub(super) fn run(session: &Session, wanted: &ImportMcp) -> Result<ExitCode> {
    let source = source(wanted, &session.environment)?;
    let text = files::read_text(&source, LARGEST).map_err(|error| {
        UsageError::new(format!("{}: {}", source.display(), files::explain(&error)))
    })?;
    let servers = Servers::read(&text)
        .map_err(|why| UsageError::new(format!("{}: {why}", source.display())))?;
    let target = session.globals.config.clone().unwrap_or_else(|| PathBuf::from(FILE_NAME));
    let yaml = servers.yaml();
    let written = write(&target, &yaml)?;
    let report = Report {
        source: source.display().to_string(),
        written: written.then(|| target.display().to_string()),
        servers: servers.names(),
        notes: servers.notes,
        yaml,
    };
    session.show(&report, |_| told(&report, &target))?;
    Ok(ExitCode::SUCCESS)
}

fn told(report: &Report, target: &Path) -> String {
    let count = report.servers.len();
    let mut text = match &report.written {
        Some(file) => format!("wrote {file} with {count} MCP servers of {}\n", report.source),
        None => {
            format!("{} is there already; add this to it:\n\n{}\n", target.display(), report.yaml)
        }
    };
    text.extend(report.notes.iter().map(|note| format!("note: {note}\n")));
    text
}

/// Writes a configuration where there is none; tells whether it did.
fn write(target: &Path, yaml: &str) -> Result<bool> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // Not only variables and headers: arguments and addresses can hold secrets as well.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(target) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot write {}", target.display()));
        }
    };
    file.write_all(yaml.as_bytes())
        .with_context(|| format!("cannot write {}", target.display()))?;
    Ok(true)
}

/// Finds the file to read.
fn source(wanted: &ImportMcp, environment: &Environment) -> Result<PathBuf, UsageError> {
    if let Some(file) = &wanted.file {
        return Ok(file.clone());
    }
    let home = environment.get("HOME").unwrap_or_default();
    let places: Vec<PathBuf> = PLACES
        .iter()
        .filter(|(client, _)| wanted.from.as_deref().is_none_or(|from| from == *client))
        .map(|(_, place)| match place.strip_prefix("~/") {
            Some(rest) => Path::new(home).join(rest),
            None => PathBuf::from(place),
        })
        .collect();
    let found = places.iter().find(|place| place.is_file());
    found.cloned().ok_or_else(|| {
        let looked: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        UsageError::new(format!("no file was found; looked for {}", looked.join(", ")))
    })
}

/// Where clients keep their servers, those of the current folder first.
const PLACES: [(&str, &str); 8] = [
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".vscode/mcp.json"),
    ("claude", ".mcp.json"),
    ("claude", "~/.config/Claude/claude_desktop_config.json"),
    ("claude", "~/Library/Application Support/Claude/claude_desktop_config.json"),
    ("cursor", "~/.cursor/mcp.json"),
    ("vscode", "~/.config/Code/User/mcp.json"),
    ("vscode", "~/Library/Application Support/Code/User/mcp.json"),
];
