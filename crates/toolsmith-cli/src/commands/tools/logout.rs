//! `toolsmith tools logout`: the tokens of a server are forgotten.

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;

use crate::{Session, compose::Toolbox, config::Settings, runtime::block_on};

#[derive(Serialize)]
struct Report<'a> {
    server: &'a str,
    logged_in: bool,
    changed: bool,
}

pub(super) fn run(session: &Session, settings: &Settings, name: &str) -> Result<ExitCode> {
    let toolbox = Toolbox::open(session, settings)?;
    let changed = block_on(async { Ok(toolbox.servers().logout(name).await?) })?;
    let report = Report { server: name, logged_in: false, changed };
    session.show(&report, |colour| {
        let was = if changed { "" } else { " already" };
        format!("{name} is{was} {}\n", colour.bold("logged out"))
    })?;
    Ok(ExitCode::SUCCESS)
}
