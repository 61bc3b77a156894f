//! The measuring programs: built with full optimisation and run with our own terminal.

use std::{
    path::Path,
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::Context as _;

/// Runs a program of the bench crate and passes its exit code on.
pub(crate) fn run(root: &Path, program: &str, arguments: &[String]) -> anyhow::Result<ExitCode> {
    let cargo = |words: &[&str], arguments: &[String]| {
        let mut command = Command::new("cargo");
        command.args(words).args(arguments).current_dir(root);
        command.status().context("cargo could not be started")
    };
    // The bench runs the program that stands beside it, so both are built.
    let both = ["--package", "toolsmith-cli", "--package", "toolsmith-bench"];
    let built = cargo(&[&["build", "--release", "--quiet"], &both[..]].concat(), &[])?;
    if !built.success() {
        return Ok(exit_code(built));
    }
    let run = ["run", "--release", "--quiet", "--package", "toolsmith-bench", "--", program];
    Ok(exit_code(cargo(&run, arguments)?))
}

/// Takes over the code of a child; one that a signal ended has none and counts as failed.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
