//! `toolsmith tools stop`: running processes on the same data folder stop the service of a tool.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::Shelf;
use crate::{
    Session, catalogue,
    compose::{self, Wanted},
    config::Settings,
};

#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    asked: bool,
}

pub(super) fn run(session: &Session, settings: &Settings, name: &str) -> Result<ExitCode> {
    let shelf = Shelf::open(session, settings, Wanted::One(name))?;
    let tool = catalogue::find(shelf.engine.registry(), name)?;
    compose::switches(session, settings)?
        .stop(&tool.spec.name)
        .context("cannot tell running processes to stop it")?;
    let report = Report { name: tool.spec.name.as_str(), asked: true };
    session.show(&report, |_| {
        format!("{}: running Toolsmith processes stop its service now\n", report.name)
    })?;
    Ok(ExitCode::SUCCESS)
}
