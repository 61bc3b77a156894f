//! The measuring programs: built with full optimisation and run with our own terminal.

use std::{
    path::Path,
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::Context as _;

/// Runs a program of the bench crate and passes its exit code on.
pub(crate) fn run(root: &Path, program: &str, arguments: &[String]) -> anyhow::Result<ExitCode> {
    let status = Command::new("cargo")
        .args(["run", "--release", "--quiet", "--package", "toolsmith-bench", "--", program])
        .args(arguments)
        .current_dir(root)
        .status()
        .context("cargo could not be started")?;
    Ok(exit_code(status))
}

/// Takes over the code of a child; one that a signal ended has none and counts as failed.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
