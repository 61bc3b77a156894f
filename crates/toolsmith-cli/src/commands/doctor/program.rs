//! Finding a program, and asking it for its version.

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::check::PATIENCE;
use crate::config::Environment;

/// How much of an answer is read.
const LONGEST: u64 = 4_096;

/// Finds a program on the path, or by its own path.
pub(super) fn find(name: &str, environment: &Environment) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let path = environment.get("PATH")?;
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}

/// Runs a program that answers and ends; returns what it printed, or why it did not.
pub(super) fn ask(
    program: &Path,
    arguments: &[&str],
    environment: &Environment,
) -> Result<String, String> {
    let kept = ["PATH", "HOME", "LANG", "TMPDIR"];
    let kept = kept.into_iter().filter_map(|name| Some((name, environment.get(name)?)));
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(kept)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("it cannot be started: {error}"))?;
    let until = Instant::now() + PATIENCE.saturating_sub(Duration::from_millis(300));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(10)),
            _ => {
                // It may be gone by now; either way it is not waited for.
                child.kill().ok();
                child.wait().ok();
                return Err("it does not answer".to_owned());
            }
        }
    };
    let mut text = String::new();
    if let Some(out) = child.stdout.take() {
        out.take(LONGEST).read_to_string(&mut text).ok();
    }
    if status.success() {
        Ok(text.trim().to_owned())
    } else {
        Err(format!("it ended with {status}"))
    }
}
