//! The official conformance suite, run against the MCP door.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};

use tokio::process::Command;
use toolsmith_core::Value;
use toolsmith_gateway::{Doorkeeper, GatewayConfig};
use toolsmith_testing::{fixtures::mcp_conformance, skip};

use super::{
    fixtures::{library::Shelf, questions, tasks, tools},
    support::Running,
};

/// What a scenario came to.
#[derive(Debug)]
struct Verdict {
    scenario: String,
    succeeded: usize,
    failures: Vec<String>,
    warnings: Vec<String>,
}

/// Starts a gateway with what the suite expects.
pub(crate) async fn fixtures() -> Running {
    let (slot, shelf) = (tools::Slot::default(), Arc::new(Shelf::default()));
    let mut all = tools::all(&slot, &shelf);
    all.extend(questions::all());
    all.extend(tasks::all());
    let running =
        Running::offering(Doorkeeper::local(), all, Some(shelf), GatewayConfig::default()).await;
    *slot.lock() = Some(running.engine.clone());
    running
}

/// Runs the scenarios of a requirement set; nothing when the suite is not installed.
async fn run(requirements: &str, running: &Running) -> Option<Vec<Verdict>> {
    let Some(folder) = mcp_conformance() else {
        skip("the MCP conformance suite is not installed; ./test installs it");
        return None;
    };
    let results = tempfile::tempdir().unwrap();
    let status = Command::new(folder.join("node/bin/node"))
        .arg(folder.join("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--requirements", requirements, "--url"])
        .arg(format!("http://{}/mcp", running.address))
        .arg("-o")
        .arg(results.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status()
        .await
        .unwrap();
    let verdicts = read_all(results.path());
    print(requirements, &verdicts, status.code());
    Some(verdicts)
}

fn read_all(results: &Path) -> Vec<Verdict> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.iter().filter(|folder| folder.join("checks.json").is_file()).map(|f| read(f)).collect()
}

fn read(folder: &Path) -> Verdict {
    let checks = fs::read(folder.join("checks.json")).unwrap();
    let checks: Vec<Value> = serde_json::from_slice(&checks).unwrap();
    let of = |status: &str| -> Vec<String> {
        let of = checks.iter().filter(|check| check["status"] == status);
        of.map(|check| format!("{}: {}", check["id"], check["errorMessage"])).collect()
    };
    let name = folder.file_name().unwrap().to_string_lossy();
    let name = name.strip_prefix("server-").unwrap_or(&name);
    // The suite ends the name of each folder with the time.
    let scenario = name.split("-2026-").next().unwrap_or(name);
    let scenario = scenario.split("-20").next().unwrap_or(scenario).to_owned();
    Verdict {
        scenario,
        succeeded: of("SUCCESS").len(),
        failures: of("FAILURE"),
        warnings: of("WARNING"),
    }
}

#[expect(clippy::print_stdout, reason = "the table is for who reads the output of the test")]
fn print(requirements: &str, verdicts: &[Verdict], code: Option<i32>) {
    println!("requirements {requirements}: exit code {code:?}");
    for verdict in verdicts {
        let Verdict { scenario, succeeded, failures, warnings } = verdict;
        let (failed, warned) = (failures.len(), warnings.len());
        println!("{scenario:55} {succeeded:3} passed {failed:3} failed {warned:3} warned");
        for line in failures.iter().chain(warnings) {
            println!("    {line}");
        }
    }
}

/// Checks that everything passes, and that so many scenarios had something to check.
async fn passes(requirements: &str, scenarios: usize) {
    let running = fixtures().await;
    let Some(verdicts) = run(requirements, &running).await else { return };
    let (passed, failed): (Vec<_>, Vec<_>) = verdicts
        .iter()
        .filter(|verdict| verdict.succeeded > 0 || !verdict.failures.is_empty())
        .partition(|verdict| verdict.failures.is_empty() && verdict.warnings.is_empty());
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(passed.len(), scenarios);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_revision_of_november_2025_is_spoken() {
    passes("2025-11-25", 32).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_revision_of_july_2026_is_spoken() {
    passes("2026-07-28", 49).await;
}
