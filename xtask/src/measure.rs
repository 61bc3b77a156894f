//! The measuring programs: built with full optimisation and run with our own terminal.

use std::{
    path::Path,
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::Context as _;

use crate::chore::Program;

/// Runs a program of the bench crate and passes its exit code on.
pub(crate) fn run(root: &Path, program: &Program) -> anyhow::Result<ExitCode> {
    // The bench runs the program that stands beside it, so both are built.
    let both = ["--package", "toolsmith-cli", "--package", "toolsmith-bench"];
    let built = cargo(root, &[&["build", "--release", "--quiet"], &both[..]].concat(), &[])?;
    if !built.success() {
        return Ok(exit_code(built));
    }
    let run = ["run", "--release", "--quiet", "--package", "toolsmith-bench", "--", &program.word];
    Ok(exit_code(cargo(root, &run, &program.arguments)?))
}

/// Runs the measuring program of the crate for children and passes its exit code on.
pub(crate) fn children(root: &Path, program: &Program) -> anyhow::Result<ExitCode> {
    let run = ["run", "--release", "--quiet", "--package", "toolsmith-children", "--example"];
    let run = [&run[..], &["bench_children", "--"]].concat();
    Ok(exit_code(cargo(root, &run, &program.arguments)?))
}

/// Runs a program of the workspace of comparisons and passes its exit code on.
///
/// Where the other parsers cannot be built, as without a network, the rest is measured.
pub(crate) fn compare(root: &Path, program: &Program) -> anyhow::Result<ExitCode> {
    let folder = root.join("bench");
    let with_peers = ["--release", "--quiet", "--features", "peers"];
    let built = cargo(&folder, &[&["build"], &with_peers[..]].concat(), &[])?;
    if built.success() {
        let run = [&["run"], &with_peers[..], &["--", &program.word]].concat();
        return Ok(exit_code(cargo(&folder, &run, &program.arguments)?));
    }
    if program.word != "bench-dialects" {
        return Ok(exit_code(built));
    }
    let run = ["run", "--release", "--quiet", "--", &program.word, "--without"];
    let why = "the other parsers could not be built; cargo says above why".to_owned();
    Ok(exit_code(cargo(&folder, &run, &[why])?))
}

fn cargo(folder: &Path, words: &[&str], arguments: &[String]) -> anyhow::Result<ExitStatus> {
    let mut command = Command::new("cargo");
    command.args(words).args(arguments).current_dir(folder);
    command.status().context("cargo could not be started")
}

/// Takes over the code of a child; one that a signal ended has none and counts as failed.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
