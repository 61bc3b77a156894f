//! The program as its doors see it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parking_lot::Mutex;
use toolsmith_connectors::{
    life::{Held, Services},
    mcp::Servers,
};
use toolsmith_core::{BackendRuntime, Group, State, ToolName, ToolSpec};
use toolsmith_definitions::{Definitions, Switches};
use toolsmith_engine::Engine;
use toolsmith_gateway::{Caretaker, Health, House};
use toolsmith_store::{self as store, Store};

/// The program as its doors see it.
#[derive(Clone, Debug)]
pub(super) struct Premises {
    pub(super) engine: Engine,
    pub(super) definitions: Definitions,
    pub(super) servers: Servers,
    pub(super) services: Services,
    pub(super) switches: Switches,
    /// The names that come back when the definitions in their places go.
    pub(super) builtins: Arc<BTreeSet<ToolName>>,
    /// The services that were started by hand, which are not idle.
    pub(super) held: Arc<Mutex<BTreeMap<String, Held>>>,
    /// Nothing when records cannot be kept; then why.
    pub(super) store: Result<Store, String>,
}

impl House for Premises {
    fn groups(&self) -> Vec<Arc<Group>> {
        self.definitions.groups().all()
    }

    fn state(&self, tool: &ToolSpec) -> State {
        match tool.backend_runtime {
            BackendRuntime::Embedded | BackendRuntime::Remote => State::Running,
            BackendRuntime::Local | BackendRuntime::Docker => {
                let status = self.services.status(tool.name.as_str());
                status.map_or(State::Running, |status| status.state)
            }
        }
    }

    fn health(&self) -> BTreeMap<&'static str, Health> {
        BTreeMap::from([("store", self.store_health()), ("upstreams", self.upstreams())])
    }

    fn caretaker(&self) -> Option<&dyn Caretaker> {
        Some(self)
    }
}

impl Premises {
    fn store_health(&self) -> Health {
        match &self.store {
            Ok(store) => match store.health() {
                store::Health::Failing { reason, .. } => Health::bad(reason),
                _ => Health::good(),
            },
            Err(why) => Health::bad(why.as_str()),
        }
    }

    fn upstreams(&self) -> Health {
        let statuses = self.servers.statuses();
        let failed = statuses.iter().filter(|server| server.state == State::Failed);
        let names: Vec<&str> = failed.map(|server| server.name.as_str()).collect();
        if names.is_empty() {
            return Health::good();
        }
        Health::bad(format!("MCP servers that do not answer: {}", names.join(", ")))
    }
}
