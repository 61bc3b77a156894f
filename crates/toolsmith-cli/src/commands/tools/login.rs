//! `toolsmith tools login`: a person agrees in a browser, and the tokens are kept.

use std::{process::ExitCode, time::Duration};

use anyhow::{Context as _, Result};
use serde::Serialize;
use tokio::time::timeout;
use toolsmith_connectors::mcp::Servers;
use toolsmith_core::{ErrorKind, ToolError};

use crate::{
    Session, compose::Toolbox, config::Settings, interrupt::Interrupt, output, runtime::block_on,
};

/// How long somebody has to agree.
const PATIENCE: Duration = Duration::from_mins(10);

#[derive(Serialize)]
struct Report<'a> {
    server: &'a str,
    logged_in: bool,
}

pub(super) fn run(session: &Session, settings: &Settings, name: &str) -> Result<ExitCode> {
    let toolbox = Toolbox::open(session, settings)?;
    block_on(async {
        let interrupt = Interrupt::watch().context("cannot listen for Ctrl-C")?;
        let login = log_in(toolbox.servers(), name);
        let Some(done) = interrupt.token().run_until_cancelled(login).await else {
            return Err(ToolError::new(ErrorKind::Cancelled, "Nobody has logged in.").into());
        };
        done?;
        let report = Report { server: name, logged_in: true };
        session.show(&report, |colour| format!("{} is {}\n", name, colour.bold("logged in")))?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn log_in(servers: &Servers, name: &str) -> Result<(), ToolError> {
    let login = servers.login(name).await?;
    // Standard output is for the result; the address is for whoever sits here.
    output::tell(&format!(
        "Open this address in a browser of this machine:\n\n  {}\n",
        login.url()
    ));
    timeout(PATIENCE, login.wait()).await.unwrap_or_else(|_| {
        let message = "Nobody has logged in for 10 minutes; try again.";
        Err(ToolError::new(ErrorKind::Timeout, message))
    })
}
