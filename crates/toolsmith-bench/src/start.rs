//! The binary from outside: how long one call takes from start to end, and what it holds at rest.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::machine::{median, memory_of, rounded};

pub(crate) fn bench(quick: bool) -> Result<Value> {
    let binary = binary()?;
    let folder = tempfile::tempdir()?;
    let runs = if quick { 10 } else { 40 };
    // The first run makes the database; the figure is that of every later one.
    let first = run_echo(&binary, folder.path())?;
    let later: Result<Vec<f64>> = (0..runs).map(|_| run_echo(&binary, folder.path())).collect();
    Ok(json!({
        "run_echo_ms": rounded(median(later?)),
        "run_echo_first_ms": rounded(first),
        "idle_rss_mb": rounded(idle_memory(&binary, folder.path())?),
    }))
}

/// The program stands beside this one.
fn binary() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("toolsmith");
    ensure!(path.exists(), "build it first: cargo build --release -p toolsmith-cli");
    Ok(path)
}

fn run_echo(binary: &Path, folder: &Path) -> Result<f64> {
    let start = Instant::now();
    let output = Command::new(binary)
        .args(["run", "echo", "message=hi"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(start.elapsed().as_secs_f64() * 1_000.0)
}

/// Returns the megabytes that the program holds while it waits for calls on its standard input.
fn idle_memory(binary: &Path, folder: &Path) -> Result<f64> {
    let mut child = Command::new(binary)
        .args(["batch", "-"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .context("the program does not start")?;
    std::thread::sleep(Duration::from_millis(500));
    let held = memory_of(child.id());
    drop(child.stdin.take());
    child.wait()?;
    #[expect(clippy::cast_precision_loss, reason = "memory is far below 2^52 bytes")]
    let megabytes = held? as f64 / 1_048_576.0;
    Ok(megabytes)
}
