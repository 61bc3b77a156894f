//! `toolsmith tools enable` and `disable`: remembered in the data folder, for built-in tools too.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::Shelf;
use crate::{
    Session, catalogue,
    compose::{self, Wanted},
    config::Settings,
};

/// Which way to switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    On,
    Off,
}

#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    enabled: bool,
    changed: bool,
}

pub(super) fn run(session: &Session, settings: &Settings, name: &str, to: To) -> Result<ExitCode> {
    let shelf = Shelf::open(session, settings, Wanted::One(name))?;
    let tool = catalogue::find(shelf.engine.registry(), name)?;
    let enabled = to == To::On;
    let changed = tool.spec.enabled != enabled;
    if changed {
        compose::switches(session, settings)?
            .set(&tool.spec.name, enabled)
            .context("cannot remember the switch")?;
    }
    let report = Report { name: tool.spec.name.as_str(), enabled, changed };
    session.show(&report, |colour| {
        let state = if enabled { "enabled" } else { "disabled" };
        let was = if changed { "" } else { " already" };
        format!("{} is{was} {}\n", report.name, colour.bold(state))
    })?;
    Ok(ExitCode::SUCCESS)
}
