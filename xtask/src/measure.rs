//! The measuring programs: built with full optimisation and run with our own terminal.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::Context as _;

use crate::chore::Program;

/// The proxy that the gateway is compared with.
const PROXY_VERSION: &str = "0.6.0";

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

/// Runs our server beside those of others and passes the exit code on.
///
/// Where the proxy of others cannot be built, as without a network, the rest is measured.
pub(crate) fn gateway(root: &Path, program: &Program) -> anyhow::Result<ExitCode> {
    let ours = ["build", "--release", "--quiet", "--package", "toolsmith-cli"];
    let built = cargo(root, &ours, &[])?;
    if !built.success() {
        return Ok(exit_code(built));
    }
    let folder = target()?;
    let mut arguments = vec!["--toolsmith".to_owned(), text(&folder.join("release/toolsmith"))?];
    match proxy(root, &folder)? {
        Some(path) => arguments.extend(["--proxy".to_owned(), text(&path)?]),
        None => {
            let why = "it could not be built; cargo says above why";
            writeln!(std::io::stderr(), "!! mcp-proxy is left out: {why}")?;
            arguments.extend(["--without".to_owned(), why.to_owned()]);
        }
    }
    arguments.extend(program.arguments.iter().cloned());
    let run = ["run", "--release", "--quiet", "--package", "bench-gateway", "--", &program.word];
    Ok(exit_code(cargo(&root.join("bench"), &run, &arguments)?))
}

/// Installs the proxy of others beside what we build, once; nothing when it cannot be built.
fn proxy(root: &Path, target: &Path) -> anyhow::Result<Option<PathBuf>> {
    let folder = target.join("peers");
    let path = folder.join("bin/mcp-proxy");
    if path.exists() {
        return Ok(Some(path));
    }
    let install = ["install", "mcp-proxy", "--version", PROXY_VERSION, "--locked", "--root"];
    let built = cargo(root, &install, &[text(&folder)?])?;
    Ok(built.success().then_some(path))
}

/// Returns the folder of what is built: this program stands in a folder of it.
fn target() -> anyhow::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let folder = program.parent().and_then(Path::parent);
    folder.map(Path::to_path_buf).context("this program stands in no folder")
}

fn text(path: &Path) -> anyhow::Result<String> {
    path.to_str().map(ToOwned::to_owned).context("a path is no text")
}

/// Runs a program of the workspace of comparisons and passes its exit code on.
///
/// Where the other parsers cannot be built, as without a network, the rest is measured.
pub(crate) fn compare(root: &Path, program: &Program) -> anyhow::Result<ExitCode> {
    let folder = root.join("bench");
    let package = ["--package", "bench-dialects"];
    let with_peers = [&["--release", "--quiet", "--features", "peers"], &package[..]].concat();
    let built = cargo(&folder, &[&["build"], &with_peers[..]].concat(), &[])?;
    if built.success() {
        let run = [&["run"], &with_peers[..], &["--", &program.word]].concat();
        return Ok(exit_code(cargo(&folder, &run, &program.arguments)?));
    }
    if program.word != "bench-dialects" {
        return Ok(exit_code(built));
    }
    let run = [&["run", "--release", "--quiet"], &package[..], &["--", &program.word, "--without"]];
    let run = run.concat();
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
