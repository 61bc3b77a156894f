//! `toolsmith serve`: the tools over HTTP, until it is told to end.

mod door;
mod issuers;
mod tls;

use std::{io::ErrorKind, net::SocketAddr, process::ExitCode, sync::Arc};

use anyhow::{Context as _, Result, anyhow};
use tokio::net::TcpListener;
use toolsmith_core::Tracer;
use toolsmith_gateway::Gateway;

use crate::{
    Session,
    args::Serve,
    compose::{self, Workshop},
    config::{Loaded, Settings, Source},
    exit::{self, UsageError},
    interrupt::Interrupt,
    memory, output,
    running::Note,
    runtime::block_on_all_cores,
    wording::counted,
};

/// Serves until it is told to end.
pub(crate) fn run(session: &Session, serve: &Serve) -> Result<ExitCode> {
    let settings = for_many(session.load_with(serve.as_settings())?);
    block_on_all_cores(serve_all(session, &settings))
}

/// Returns the settings with the defaults of a program that serves many and runs for long.
pub(crate) fn for_many(loaded: Loaded) -> Settings {
    let Loaded { mut settings, sources, .. } = loaded;
    let is_usual = |key| matches!(sources.of(key), Source::Default);
    if is_usual("limits.max_concurrent") {
        settings.limits.max_concurrent = 256;
    }
    if is_usual("limits.queue_size") {
        settings.limits.queue_size = 4_096;
    }
    if is_usual("watch_for_changes") {
        settings.watch_for_changes = true;
    }
    settings
}

async fn serve_all(session: &Session, settings: &Settings) -> Result<ExitCode> {
    let secured = tls::Files::of(session, settings)?;
    let public_url = door::public_url(session, settings)?;
    let listener = listen(session, settings).await?;
    let address = listener.local_addr().context("cannot tell the own address")?;
    let interrupt = Interrupt::watch_serving().context("cannot listen for Ctrl-C")?;
    let mut config = compose::gateway_config(settings, &session.environment)?;
    config.tls = secured.as_ref().map(|files| files.tls.clone());
    config.public_url = public_url;
    config.hurry = interrupt.hurry().clone();
    config.give_back = Some(memory::give_back);
    config.telemetry = compose::telemetry(session, settings)?;
    let (access_log, telemetry) = (config.access_log.clone(), config.telemetry.clone());
    let tracer = telemetry.clone().map(|telemetry| Arc::new(telemetry) as Arc<dyn Tracer>);
    let mut workshop = Workshop::open_traced(session, settings, tracer).await?;
    workshop.watch(settings);
    let note = leave_note(&workshop, address, secured.as_ref());
    let door = door::door(session, settings, &workshop, address, note.as_ref()).await?;
    let mut gateway = Gateway::new(workshop.engine().clone(), workshop.house(), door, config);
    if let Ok(store) = workshop.store() {
        gateway = gateway.with_store(store.clone());
    }
    let webhooks = compose::webhooks(session, settings, workshop.engine())?;
    gateway = gateway.with_webhooks(webhooks.clone());
    let scheme = if secured.is_some() { "https" } else { "http" };
    output::tell(&format!("listening on {scheme}://{address}"));
    tls::warn(secured.as_ref(), address);
    let ended = toolsmith_gateway::serve(listener, gateway, interrupt.token().clone()).await;
    drop(note);
    // Before all else that may take its time: the records are owed, also to who is in a hurry.
    workshop.flush().await;
    compose::close_webhooks(&webhooks).await;
    if let Some(telemetry) = telemetry {
        telemetry.close().await;
    }
    if let Some(log) = access_log {
        log.close();
    }
    workshop.close().await;
    if ended.unfinished_calls > 0 {
        let calls = counted(ended.unfinished_calls as u64, "call");
        output::tell(&format!("note: {calls} did not end in time"));
    }
    let has_hurried = interrupt.hurry().is_cancelled();
    Ok(if has_hurried { exit::CANCELLED } else { exit::SUCCESS }.into())
}

async fn listen(session: &Session, settings: &Settings) -> Result<TcpListener> {
    let written = settings.serve.listen.resolve(&session.environment);
    let written = written.map_err(|missing| UsageError::new(format!("serve.listen: {missing}")))?;
    let text = written.text.expose();
    let address: SocketAddr = text.parse().map_err(|_| {
        let example = "write an address and a port such as 127.0.0.1:8001 or [::1]:8001";
        UsageError::new(format!("cannot listen on `{text}`: {example}"))
    })?;
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            let what = "another program does; choose another port by `--listen 127.0.0.1:PORT`";
            anyhow!("cannot listen on {address}: {what}")
        }
        _ => anyhow::Error::new(error).context(format!("cannot listen on {address}")),
    })
}

/// Leaves a note for other words; without one they cannot reach this server, and it serves.
fn leave_note(
    workshop: &Workshop,
    address: SocketAddr,
    secured: Option<&tls::Files>,
) -> Option<Note> {
    let certificate = secured.map(|files| files.certificate.as_path());
    let left = workshop.store().ok().map(|store| Note::leave(store.folder(), address, certificate));
    left?.inspect_err(|error| tracing::warn!(%error, "other words cannot reach this server")).ok()
}
