//! The program as its doors see it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::task::AbortHandle;
use toolsmith_connectors::{
    life::{Held, Services},
    mcp::Servers,
};
use toolsmith_core::{
    Artifact, Artifacts, BackendRuntime, BoxFuture, Group, Kind, Library, State, Text, ToolName,
    ToolSpec,
};
use toolsmith_definitions::{Definitions, Switches};
use toolsmith_engine::Engine;
use toolsmith_gateway::{Caretaker, Health, House};
use toolsmith_store::{self as store, ArtifactQuery, Store};

use crate::wording::counted;

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
    /// Asks MCP servers what they offer, at the start.
    pub(super) asked: Option<AbortHandle>,
    /// Nothing when records cannot be kept; then why.
    pub(super) store: Result<Store, String>,
    /// What MCP servers offer besides tools.
    pub(super) library: Arc<dyn Library>,
}

impl House for Premises {
    fn groups(&self) -> Vec<Arc<Group>> {
        self.definitions.groups().all()
    }

    fn state(&self, tool: &ToolSpec) -> State {
        if tool.kind == Kind::Mcp {
            let status = self.servers.status_of(tool.name.as_str());
            return status.map_or(State::Running, |status| status.state);
        }
        match tool.backend_runtime {
            BackendRuntime::Embedded | BackendRuntime::Remote => State::Running,
            BackendRuntime::Local | BackendRuntime::Docker => {
                let status = self.services.status(tool.name.as_str());
                status.map_or(State::Running, |status| status.state)
            }
        }
    }

    fn runtimes_in(&self, state: State) -> Option<&'static [BackendRuntime]> {
        use BackendRuntime::{Docker, Local, Remote};
        let has_servers = !self.servers.names().is_empty();
        // All others run whenever they are called.
        let some: &[BackendRuntime] =
            if has_servers { &[Local, Docker, Remote] } else { &[Local, Docker] };
        (state != State::Running).then_some(some)
    }

    fn health(&self) -> BTreeMap<&'static str, Health> {
        BTreeMap::from([
            ("store", self.store_health()),
            ("tools", self.tools_health()),
            ("upstreams", self.upstreams_health()),
        ])
    }

    fn is_ready(&self) -> bool {
        self.asked.as_ref().is_none_or(AbortHandle::is_finished)
    }

    fn upstreams(&self) -> Vec<(Text, State)> {
        let statuses = self.servers.statuses().into_iter();
        statuses.map(|server| (server.name.as_str().into(), server.state)).collect()
    }

    fn artifacts(&self) -> Option<Arc<dyn Artifacts>> {
        let store = self.store.as_ref().ok()?;
        Some(Arc::new(store.clone()))
    }

    fn recent_artifacts<'a>(
        &'a self,
        caller: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Vec<Artifact>> {
        Box::pin(async move {
            let Ok(store) = &self.store else { return Vec::new() };
            let query = ArtifactQuery {
                caller_id: Some(caller.into()),
                limit: u32::try_from(most).unwrap_or(u32::MAX),
                ..ArtifactQuery::default()
            };
            store.artifacts(query).await.map(|list| list.artifacts).unwrap_or_default()
        })
    }

    fn library(&self) -> Option<Arc<dyn Library>> {
        Some(Arc::clone(&self.library))
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

    /// A definition that cannot be read is missing, or is served as it was before.
    fn tools_health(&self) -> Health {
        match self.definitions.problems() {
            0 => Health::good(),
            count => {
                let problems = counted(count, "problem");
                Health::bad(format!("{problems} in the definitions; the log names them"))
            }
        }
    }

    fn upstreams_health(&self) -> Health {
        let statuses = self.servers.statuses();
        let failed = statuses.iter().filter(|server| server.state == State::Failed);
        let names: Vec<&str> = failed.map(|server| server.name.as_str()).collect();
        if names.is_empty() {
            return Health::good();
        }
        Health::bad(format!("MCP servers that do not answer: {}", names.join(", ")))
    }
}
