//! Our side: calls through the engine, with everything on.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Result, anyhow, ensure};
use serde_json::Value;
use tempfile::TempDir;
use toolsmith_children::Children;
use toolsmith_connectors::mcp::{Address, Link, Program, ServerSettings, Servers, Surroundings};
use toolsmith_core::{Call, Redactor, Template, Vault};
use toolsmith_engine::Engine;
use toolsmith_store::{Store, StoreConfig};

use super::Way;
use crate::machine::this_program;

/// An engine with the tool of a server, and a store for its records.
pub(super) struct Ours {
    engine: Engine,
    servers: Servers,
    store: Store,
    _folder: TempDir,
}

impl Ours {
    pub(super) async fn start(way: &Way) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(StoreConfig::at(folder.path())).await?;
        let net = toolsmith_net::Client::new(toolsmith_net::Settings::default())?;
        let nothing: [(&str, &str); 0] = [];
        let vault = Vault::with_values(nothing, Redactor::default());
        let surroundings = Surroundings::new(Children::new(), &BTreeMap::new(), net, vault);
        let servers = Servers::new(surroundings, vec![ServerSettings::new("bench", link(way)?)]);
        let engine = Engine::builder().with_records(Arc::new(store.clone())).build()?;
        servers.attach(&engine, Arc::new(|_| false));
        let failed = servers.load().await;
        ensure!(failed.is_empty(), "{failed:?}");
        Ok(Self { engine, servers, store, _folder: folder })
    }

    pub(super) async fn call(&self, input: Value) -> Result<Value> {
        let outcome = self.engine.call(Call::new("bench__echo", input)).await;
        outcome.result.map_err(|error| anyhow!("{error}"))
    }

    /// Waits until the records of all calls are written.
    pub(super) async fn flush(&self) {
        self.store.flush().await;
    }

    pub(super) async fn end(self) {
        self.servers.close().await;
        self.store.close().await;
    }
}

fn link(way: &Way) -> Result<Link> {
    Ok(match way {
        Way::Program { starts } => {
            let mut program = Program::new(Template::literal(this_program()?));
            program.args = ["serve-mcp-echo", "--starts", starts].map(Template::literal).into();
            Link::Stdio(program)
        }
        Way::Address(url) => Link::Http(Address::new(Template::literal(url.as_str()))),
    })
}
