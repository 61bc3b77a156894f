//! `toolsmith tools start`: the service of a tool runs until Ctrl-C or `toolsmith tools stop`.

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use serde::Serialize;
use tokio::{sync::Notify, time::sleep};
use toolsmith_connectors::life::{Held, Services, State, Status};
use toolsmith_core::{ErrorKind, ToolError};

use crate::{
    Session, catalogue,
    compose::{self, Toolbox},
    config::Settings,
    exit::UsageError,
    interrupt::Interrupt,
    output::Colour,
    runtime::block_on,
};

/// How long a service that has ended is left alone when nobody says for how long.
const REST: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Report {
    /// What the tool depends on stands before it.
    started: Vec<Status>,
}

pub(super) fn run(session: &Session, settings: &Settings, name: &str) -> Result<ExitCode> {
    let toolbox = Toolbox::open(session, settings)?;
    let engine = compose::engine(session, settings, &toolbox)?;
    let mut order = catalogue::with_needs(engine.registry(), name)?;
    let services = toolbox.services();
    let has_service = |tool: &String| services.status(tool).is_some();
    if !order.last().is_some_and(has_service) {
        let message = format!("`{name}` has no service of its own: it runs when it is called");
        return Err(UsageError::new(message).into());
    }
    order.retain(has_service);
    block_on(async {
        let interrupt = Interrupt::watch().context("cannot listen for Ctrl-C")?;
        let obeying = toolbox.obey();
        let ended = tokio::select! {
            () = interrupt.token().cancelled() => Ok(()),
            () = obeying => Ok(()),
            ended = keep(session, services, &order) => ended,
        };
        services.close().await;
        ended?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Starts the services, says so, and starts again what ends; until one was stopped.
async fn keep(session: &Session, services: &Services, order: &[String]) -> Result<()> {
    let news = Arc::new(Notify::new());
    let bell = Arc::clone(&news);
    services.on_change(Arc::new(move |_| bell.notify_one()));
    let mut held: Vec<Held> = Vec::new();
    for tool in order {
        let started = services.start(tool).await.transpose();
        held.extend(started.map_err(|error| explain(order, tool, error))?);
    }
    show(session, services, order)?;
    loop {
        news.notified().await;
        for tool in order {
            match services.status(tool).map(|status| status.state) {
                Some(State::Stopped) => return Ok(()),
                Some(State::Failed) => {
                    held.extend(restart(services, tool).await);
                    show(session, services, order)?;
                }
                _ => {}
            }
        }
    }
}

/// Says of a tool that others depend on that it kept them from starting.
fn explain(order: &[String], tool: &str, error: ToolError) -> ToolError {
    let Some(wanted) = order.last().filter(|wanted| *wanted != tool) else { return error };
    let message = format!(
        "`{wanted}` was not started, since `{tool}`, which it depends on, did not start: {}",
        error.message()
    );
    ToolError::new(ErrorKind::DependencyError, message).with_details(error.details().clone())
}

async fn restart(services: &Services, tool: &str) -> Option<Held> {
    loop {
        match services.start(tool).await? {
            Ok(held) => return Some(held),
            Err(error) => sleep(error.retry_after().unwrap_or(REST)).await,
        }
    }
}

fn show(session: &Session, services: &Services, order: &[String]) -> Result<()> {
    let started = order.iter().filter_map(|tool| services.status(tool)).collect();
    let report = Report { started };
    session.show(&report, |colour| report.text(colour))?;
    Ok(())
}

impl Report {
    fn text(&self, colour: Colour) -> String {
        let line = |status: &Status| {
            let pid = status.pid.map(|pid| format!("  pid {pid}")).unwrap_or_default();
            let port = status.port.map(|port| format!("  port {port}")).unwrap_or_default();
            format!("{} is {}{pid}{port}\n", status.tool_name, colour.bold(status.state.as_str()))
        };
        self.started.iter().map(line).collect()
    }
}
