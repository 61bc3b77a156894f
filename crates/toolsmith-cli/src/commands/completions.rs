//! `toolsmith completions`: the completions of a shell.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;
use serde_json::json;

use crate::{
    Session,
    args::{Cli, Completions},
};

/// Prints the script.
pub(crate) fn run(session: &Session, completions: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut Cli::command(), "toolsmith", &mut script);
    let script = String::from_utf8(script)?;
    let shell = completions.shell.to_string();
    session.output.show(&json!({ "shell": shell, "script": script }), |_| script.clone())?;
    Ok(ExitCode::SUCCESS)
}
