//! The official suite that MCP servers and clients are judged by.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use toolsmith_core::Value;

use crate::fixtures;

/// How long the time is that the suite puts behind the name of a folder.
const TIME: usize = "-2026-11-15T20-30-00-000Z".len();

/// What a scenario came to.
#[derive(Debug)]
pub struct Verdict {
    /// The scenario.
    pub scenario: String,
    /// How many of its checks succeeded.
    pub succeeded: usize,
    /// Why others failed.
    pub failures: Vec<String>,
    /// What it warns of.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// Tells whether there was something to check, and all of it is as it should be.
    pub fn is_good(&self) -> bool {
        self.succeeded > 0 && self.failures.is_empty() && self.warnings.is_empty()
    }
}

/// Returns what starts the suite, with nothing to read and its words in pipes; nothing when it is
/// not installed.
pub fn suite() -> Option<Command> {
    let folder = fixtures::mcp_conformance()?;
    let mut command = Command::new(folder.join("node/bin/node"));
    command.arg(folder.join("@modelcontextprotocol/conformance/dist/index.js"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Some(command)
}

/// Reads what the suite has written into a folder, and prints it.
///
/// Its own count says nothing of scenarios that had nothing to check.
pub fn verdicts(results: &Path) -> Vec<Verdict> {
    let entries = fs::read_dir(results).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let verdicts: Vec<Verdict> = folders.iter().filter_map(|folder| read(folder)).collect();
    for verdict in &verdicts {
        print(verdict);
    }
    verdicts
}

fn read(folder: &Path) -> Option<Verdict> {
    let checks = fs::read(folder.join("checks.json")).ok()?;
    let checks: Vec<Value> = serde_json::from_slice(&checks).ok()?;
    let of = |status: &str| -> Vec<String> {
        let of = checks.iter().filter(|check| check["status"] == status);
        of.map(|check| format!("{}: {}", check["id"], check["errorMessage"])).collect()
    };
    let name = folder.file_name()?.to_str()?;
    let name = name.get(..name.len().saturating_sub(TIME)).unwrap_or(name);
    let scenario = name.strip_prefix("server-").unwrap_or(name).to_owned();
    let (failures, warnings) = (of("FAILURE"), of("WARNING"));
    Some(Verdict { scenario, succeeded: of("SUCCESS").len(), failures, warnings })
}

#[expect(clippy::print_stdout, reason = "the table is for who reads the output of the test")]
fn print(verdict: &Verdict) {
    let Verdict { scenario, succeeded, failures, warnings } = verdict;
    let (failed, warned) = (failures.len(), warnings.len());
    println!("{scenario:55} {succeeded:3} passed {failed:3} failed {warned:3} warned");
    for line in failures.iter().chain(warnings) {
        println!("    {line}");
    }
}
