//! The official conformance suite, run against the MCP door.

use std::sync::Arc;

use tokio::process::Command;
use toolsmith_core::Library;
use toolsmith_gateway::{Doorkeeper, GatewayConfig};
use toolsmith_testing::{
    conformance::{Verdict, suite, verdicts},
    skip,
};

use super::{
    fixtures::{library::Shelf, questions, tasks, tools},
    joined::Joined,
    support::Running,
};

/// A gateway with what the suite expects.
pub(crate) struct Fixtures {
    pub(crate) running: Running,
    pub(crate) shelf: Arc<Shelf>,
}

/// Starts a gateway with what the suite expects.
pub(crate) async fn fixtures() -> Fixtures {
    let (slot, shelf) = (tools::Slot::default(), Arc::new(Shelf::default()));
    let mut all = tools::all(&slot, &shelf);
    all.extend(questions::all());
    all.extend(tasks::all());
    let library = Some(Arc::<Shelf>::clone(&shelf) as Arc<dyn Library>);
    let config = GatewayConfig::default();
    let running = Running::offering(Doorkeeper::local(), all, library, config).await;
    *slot.lock() = Some(running.engine.clone());
    Fixtures { running, shelf }
}

/// Runs the scenarios of a requirement set; nothing when the suite is not installed.
async fn run(requirements: &str, running: &Running) -> Option<Vec<Verdict>> {
    let Some(suite) = suite() else {
        skip("the MCP conformance suite is not installed; ./test installs it");
        return None;
    };
    let results = tempfile::tempdir().unwrap();
    let address = format!("http://{}/mcp", running.address);
    let run = Command::from(suite)
        .args(["server", "--requirements", requirements, "--url", &address, "-o"])
        .arg(results.path())
        .kill_on_drop(true)
        .output()
        .await;
    assert!(run.unwrap().status.code().is_some());
    Some(verdicts(results.path()))
}

/// Scenarios of tools that say how they become tasks, which a server behind us does not tell.
const OF_TASKS: &str = "tasks-";

/// No scenario begins so.
const NOTHING: &str = "-";

/// Checks that everything passes, and that so many scenarios had something to check.
async fn passes(requirements: &str, scenarios: usize, running: &Running, left_out: &str) {
    let Some(verdicts) = run(requirements, running).await else { return };
    let offered = verdicts.iter().filter(|verdict| !verdict.scenario.starts_with(left_out));
    let (passed, failed): (Vec<_>, Vec<_>) = offered
        .filter(|verdict| verdict.succeeded > 0 || !verdict.failures.is_empty())
        .partition(|verdict| verdict.is_good());
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!(passed.len(), scenarios);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_revision_of_november_2025_is_spoken() {
    passes("2025-11-25", 32, &fixtures().await.running, NOTHING).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_revision_of_july_2026_is_spoken() {
    passes("2026-07-28", 49, &fixtures().await.running, NOTHING).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_revision_of_november_2025_is_spoken_for_a_server_behind_us() {
    passes("2025-11-25", 32, &Joined::without_prefix().await.running, OF_TASKS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_revision_of_july_2026_is_spoken_for_a_server_behind_us() {
    passes("2026-07-28", 40, &Joined::without_prefix().await.running, OF_TASKS).await;
}
