//! `toolsmith mcp`: the tools for the program that started us, over standard input and output.

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::io::{stdin, stdout};
use toolsmith_core::Tracer;
use toolsmith_gateway::{Doorkeeper, Gateway};

use crate::{
    Session,
    args::{Globals, Mcp, McpClient},
    compose::{self, Workshop},
    config::{FILE_NAME, Settings},
    exit,
    interrupt::Interrupt,
    runtime::block_on_all_cores,
};

/// How long the first word waits for MCP servers behind us: many clients list tools only once.
const GATHERING: Duration = Duration::from_secs(10);

/// Speaks MCP until the other end closes, or prints how a client is told to start us.
pub(crate) fn run(session: &Session, mcp: &Mcp) -> Result<ExitCode> {
    if let Some(client) = mcp.print_config {
        let configuration = configuration(session, mcp, client)?;
        session.output.show(&configuration, |_| {
            serde_json::to_string_pretty(&configuration).unwrap_or_default() + "\n"
        })?;
        return Ok(exit::SUCCESS.into());
    }
    let settings = super::serve::for_many(session.load()?);
    block_on_all_cores(speak(session, &settings, mcp.group.as_deref()))
}

async fn speak(session: &Session, settings: &Settings, group: Option<&str>) -> Result<ExitCode> {
    let interrupt = Interrupt::watch_serving().context("cannot listen for Ctrl-C")?;
    let mut config = compose::gateway_config(settings, &session.environment)?;
    config.hurry = interrupt.hurry().clone();
    config.telemetry = compose::telemetry(session, settings)?;
    let telemetry = config.telemetry.clone();
    let tracer = telemetry.clone().map(|telemetry| Arc::new(telemetry) as Arc<dyn Tracer>);
    let mut workshop = Workshop::open_traced(session, settings, tracer).await?;
    workshop.watch(settings);
    interrupt.token().run_until_cancelled(workshop.gather(GATHERING)).await;
    let gateway =
        Gateway::new(workshop.engine().clone(), workshop.house(), Doorkeeper::local(), config);
    let webhooks = compose::webhooks(session, settings, workshop.engine())?;
    let streams = (stdin(), stdout());
    let stop = interrupt.token().clone();
    let spoken = toolsmith_gateway::speak(gateway, group, streams, stop).await;
    workshop.flush().await;
    compose::close_webhooks(&webhooks).await;
    if let Some(telemetry) = telemetry {
        telemetry.close().await;
    }
    workshop.close().await;
    spoken.context("cannot speak MCP")?;
    Ok(exit::SUCCESS.into())
}

/// Returns what a client is told: to start this program as it was started now.
fn configuration(session: &Session, mcp: &Mcp, client: McpClient) -> Result<Value> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let mut arguments = vec!["mcp".to_owned()];
    if let Some(group) = &mcp.group {
        arguments.extend(["--group".to_owned(), group.clone()]);
    }
    arguments.extend(places(&session.globals)?);
    let server = json!({ "command": program.to_string_lossy(), "args": arguments });
    Ok(match client {
        McpClient::Claude | McpClient::Cursor => json!({ "mcpServers": { "toolsmith": server } }),
        McpClient::Vscode => {
            let mut server = server;
            server["type"] = "stdio".into();
            json!({ "servers": { "toolsmith": server } })
        }
    })
}

/// Returns the flags that say where everything is: a client starts us in a folder of its choice.
fn places(globals: &Globals) -> Result<Vec<String>> {
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).context("cannot tell where this folder is")?;
        Ok::<_, anyhow::Error>(path.to_string_lossy().into_owned())
    };
    let usual = Some(Path::new(FILE_NAME)).filter(|file| file.exists());
    let config = globals.config.as_deref().or(usual);
    // Folders that a configuration names are found from where it is.
    let unless_configured = |folder: &'static str| config.is_none().then(|| folder.to_owned());
    let mut tools = globals.tools.clone();
    tools.extend(unless_configured("tools").filter(|_| globals.tools.is_empty()));
    let data = globals.data.clone().or_else(|| unless_configured(".toolsmith"));
    let mut flags = Vec::new();
    if let Some(file) = config {
        flags.extend(["--config".to_owned(), absolute(file)?]);
    }
    for folder in tools {
        flags.extend(["--tools".to_owned(), absolute(Path::new(&folder))?]);
    }
    if let Some(folder) = data {
        flags.extend(["--data".to_owned(), absolute(Path::new(&folder))?]);
    }
    Ok(flags)
}
