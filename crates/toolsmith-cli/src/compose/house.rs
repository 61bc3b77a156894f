//! The program as its doors see it.

use std::{collections::BTreeMap, sync::Arc};

use toolsmith_connectors::{life::Services, mcp::Servers};
use toolsmith_core::{BackendRuntime, Group, State, ToolSpec};
use toolsmith_definitions::Definitions;
use toolsmith_gateway::{Health, House};
use toolsmith_store::{self as store, Store};

/// The program as its doors see it.
#[derive(Debug)]
pub(super) struct Premises {
    pub(super) definitions: Definitions,
    pub(super) servers: Servers,
    pub(super) services: Services,
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
