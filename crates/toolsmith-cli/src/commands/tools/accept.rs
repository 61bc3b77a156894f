//! `toolsmith tools accept`: lets a tool of an MCP server be called although its definition changed.

use std::process::ExitCode;

use anyhow::Result;
use toolsmith_core::json;

use crate::{
    Session,
    compose::{self, Toolbox},
    config::Settings,
};

pub(super) fn run(session: &Session, settings: &Settings, name: &str) -> Result<ExitCode> {
    let toolbox = Toolbox::open(session, settings)?;
    // Names are given beside those of all other tools.
    let _engine = compose::engine(session, settings, &toolbox)?;
    let accepted = toolbox.servers().accept(name)?;
    session.show(&json!({ "accepted": accepted }), |_| {
        format!("accepted {}\n", accepted.join(", "))
    })?;
    Ok(ExitCode::SUCCESS)
}
