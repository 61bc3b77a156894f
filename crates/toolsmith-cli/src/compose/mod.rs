//! The only wiring: settings become an engine, a store, and the context of calls.
//!
//! Each word takes no more than it needs: listing tools opens no database, reading records makes
//! no engine, and only calls have both.

mod caretaking;
mod house;
mod servers;
mod services;
mod settings;
mod telemetry;
mod toolbox;
mod unwritten;
mod webhooks;
mod workshop;

#[cfg(test)]
mod tests;

use anyhow::Result;
use toolsmith_core::{Tool, ToolError};
use toolsmith_engine::{Builder, Engine};
use toolsmith_store::{Access, Store, StoreConfig, StoreError};

pub(crate) use self::{
    settings::{client, data_folder, gateway_config},
    telemetry::telemetry,
    toolbox::{Toolbox, Wanted, switches},
    webhooks::{close as close_webhooks, webhooks},
    workshop::Workshop,
};
use crate::{Session, config::Settings, runtime::block_on};

/// Returns an engine that knows the tools and keeps nothing.
pub(crate) fn engine(session: &Session, settings: &Settings, toolbox: &Toolbox) -> Result<Engine> {
    let engine = builder(session, settings, toolbox.builtins()).build()?;
    toolbox.fill(&engine);
    Ok(engine)
}

/// The same, with the tools of MCP servers that had to be asked; they are gone again when it is
/// returned.
pub(crate) fn engine_with(
    session: &Session,
    settings: &Settings,
    toolbox: &Toolbox,
    wanted: Wanted<'_>,
) -> Result<Engine> {
    let engine = engine(session, settings, toolbox)?;
    if toolbox.servers().names().is_empty() {
        return Ok(engine);
    }
    block_on(async {
        let failed = toolbox.ask(wanted).await;
        toolbox.servers().close().await;
        missing(&engine, wanted, failed)
    })?;
    Ok(engine)
}

/// Returns the reason why a server did not start, when the wanted tool would be its.
pub(crate) fn missing(
    engine: &Engine,
    wanted: Wanted<'_>,
    failed: Vec<(String, ToolError)>,
) -> Result<()> {
    match (wanted, failed.into_iter().next()) {
        (Wanted::One(name), Some((_, error))) if engine.registry().get(name).is_none() => {
            Err(error.into())
        }
        _ => Ok(()),
    }
}

fn builder(session: &Session, settings: &Settings, tools: Vec<Tool>) -> Builder {
    Engine::builder()
        .with_config(settings::engine_config(settings))
        .with_redactor(session.redactor.clone())
        .tools(tools)
}

/// Opens the store for questions; nothing when no record was ever kept.
///
/// A folder that cannot be written is good enough for that, and no database is made.
pub(crate) async fn reader(session: &Session, settings: &Settings) -> Result<Option<Store>> {
    let folder = data_folder(settings, &session.environment)?;
    let config = StoreConfig { access: Access::ReadOnly, ..StoreConfig::at(&folder) };
    match Store::open(config).await {
        Ok(store) => Ok(Some(store)),
        Err(StoreError::Missing { .. }) => Ok(None),
        // Opening for writing brings an older database up to date.
        Err(StoreError::Older { .. }) => Ok(Some(Store::open(StoreConfig::at(folder)).await?)),
        Err(error) => Err(error.into()),
    }
}

/// Opens the store to change something in it; it is made when it is not there.
pub(crate) async fn writer(session: &Session, settings: &Settings) -> Result<Store> {
    let config = settings::store_config(settings, &session.environment)?;
    Ok(Store::open(config).await?)
}

/// Opens the store to remove records; nothing when no record was ever kept.
pub(crate) async fn remover(session: &Session, settings: &Settings) -> Result<Option<Store>> {
    if reader(session, settings).await?.is_none() {
        return Ok(None);
    }
    writer(session, settings).await.map(Some)
}
