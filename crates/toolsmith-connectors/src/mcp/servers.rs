//! All servers, and their tools in the registry.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use parking_lot::Mutex;
use tokio::task::JoinSet;
use toolsmith_core::{
    BoxFuture, ErrorKind, EventKind, Executor, Exposure, Tool, ToolContext, ToolError, ToolName,
    Value, Work, json, suggestion,
};
use toolsmith_engine::{
    Engine,
    registry::{Registry, Removal},
};

use super::{
    catalogue::{Changed, Definition, Plan, Planned, Shelf, plan},
    definition,
    executor::McpExecutor,
    listing::Listed,
    maker::McpMaker,
    memory::Memory,
    output::Promise,
    server::{Audience, Server},
    settings::{ServerSettings, Start},
    status::Status,
    surroundings::Surroundings,
};

/// Tells whether a tool was switched off by hand.
pub type IsOff = Arc<dyn Fn(&ToolName) -> bool + Send + Sync>;

/// The servers of a configuration, and those that definitions name; cheap to clone.
#[derive(Clone, Debug)]
pub struct Servers(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    surroundings: Surroundings,
    servers: Vec<Arc<Server>>,
    /// Servers that definitions describe themselves, shared by equal descriptions.
    described: Mutex<HashMap<String, Weak<Server>>>,
    memory: Memory,
    engine: OnceLock<Attached>,
    catalogue: Mutex<Catalogue>,
}

/// The engine whose registry is filled.
struct Attached {
    engine: Engine,
    is_off: IsOff,
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.engine.fmt(f)
    }
}

#[derive(Debug, Default)]
struct Catalogue {
    shelves: BTreeMap<String, Shelf>,
    /// What of it the registry holds.
    applied: BTreeMap<ToolName, Planned>,
}

impl Servers {
    /// Takes servers in the order in which they get names; nothing is started.
    pub fn new(surroundings: Surroundings, settings: Vec<ServerSettings>) -> Self {
        let memory = Memory::at(surroundings.memory.clone());
        let servers: Vec<Arc<Server>> = settings
            .into_iter()
            .map(|settings| Server::new(settings, surroundings.clone()))
            .collect();
        let shelves = servers.iter().filter_map(|server| {
            Some((server.settings.name.clone(), memory.recall(&server.settings)?))
        });
        let catalogue = Catalogue { shelves: shelves.collect(), applied: BTreeMap::new() };
        let inner = Arc::new(Inner {
            surroundings,
            servers,
            described: Mutex::default(),
            memory,
            engine: OnceLock::new(),
            catalogue: Mutex::new(catalogue),
        });
        for server in &inner.servers {
            let audience: Weak<dyn Audience> = Arc::downgrade(&inner) as Weak<dyn Audience>;
            server.set_audience(audience);
        }
        Self(inner)
    }

    /// Puts the tools that are known from earlier runs into an engine, and all later ones.
    ///
    /// Tools that are switched off are there, and cannot be called.
    pub fn attach(&self, engine: &Engine, is_off: IsOff) {
        if self.0.engine.set(Attached { engine: engine.clone(), is_off }).is_ok() {
            self.0.apply(&mut self.0.catalogue.lock());
        }
    }

    /// Returns what makes the tools of `mcp` entries.
    pub fn maker(&self) -> McpMaker {
        McpMaker::new(self.clone())
    }

    /// Starts the servers that start with the program, and those whose tools nobody knows.
    ///
    /// Returns why servers could not be started, by name; the others are not touched by that.
    pub async fn load(&self) -> Vec<(String, ToolError)> {
        let is_known = |server: &Arc<Server>| {
            self.0.catalogue.lock().shelves.contains_key(&server.settings.name)
        };
        let wanted =
            |server: &&Arc<Server>| server.settings.start == Start::Eager || !is_known(server);
        self.start(self.0.servers.iter().filter(wanted)).await
    }

    /// Starts the servers that may have a tool of this name, if the registry does not.
    pub async fn load_for(&self, tool: &str) -> Vec<(String, ToolError)> {
        let has = self.0.registry().is_some_and(|registry| registry.get(tool).is_some());
        if has {
            return Vec::new();
        }
        let may_have = |server: &&Arc<Server>| tool.starts_with(&server.settings.prefix());
        self.start(self.0.servers.iter().filter(may_have)).await
    }

    async fn start(&self, servers: impl Iterator<Item = &Arc<Server>>) -> Vec<(String, ToolError)> {
        let mut starting = JoinSet::new();
        for server in servers {
            let server = Arc::clone(server);
            starting.spawn(async move {
                let error = server.session().await.err()?;
                Some((server.settings.name.clone(), error))
            });
        }
        let mut failed: Vec<_> = starting.join_all().await.into_iter().flatten().collect();
        failed.sort_by(|(one, _), (other, _)| one.cmp(other));
        failed
    }

    /// Returns the names of the configured servers.
    pub fn names(&self) -> Vec<String> {
        self.0.servers.iter().map(|server| server.settings.name.clone()).collect()
    }

    /// Returns how each server is, in the order of the settings.
    pub fn statuses(&self) -> Vec<Status> {
        self.0.servers.iter().map(|server| server.status()).collect()
    }

    /// Stops a server; the next call starts it again.
    pub async fn stop(&self, name: &str) -> Result<(), ToolError> {
        self.0.find(name)?.stop().await;
        Ok(())
    }

    /// Starts a server and waits until it answers.
    pub async fn start_one(&self, name: &str) -> Result<(), ToolError> {
        self.0.find(name)?.session().await.map(drop)
    }

    /// Ends every session and waits until the servers are gone.
    pub async fn close(&self) {
        let mut closing = JoinSet::new();
        let described = self.0.described.lock().values().filter_map(Weak::upgrade).collect();
        for server in [self.0.servers.clone(), described].concat() {
            closing.spawn(async move { server.stop().await });
        }
        closing.join_all().await;
    }

    /// Accepts the changed definitions of a tool, or of all tools of a server.
    ///
    /// Returns the tools whose definitions were accepted.
    pub fn accept(&self, name: &str) -> Result<Vec<String>, ToolError> {
        self.0.accept(name)
    }

    /// Returns the tools whose definitions wait to be accepted.
    pub fn waiting(&self) -> Vec<String> {
        let catalogue = self.0.catalogue.lock();
        let plan = self.0.plan(&catalogue);
        let waits = |planned: &Planned| !matches!(planned.definition, Definition::InForce(_));
        let waiting = plan.tools.iter().filter(|(_, planned)| waits(planned));
        waiting.map(|(name, _)| name.as_str().to_owned()).collect()
    }
}

impl Inner {
    /// Returns a configured server.
    pub(super) fn find(&self, name: &str) -> Result<&Arc<Server>, ToolError> {
        let found = self.servers.iter().find(|server| server.settings.name == name);
        found.ok_or_else(|| {
            let names = self.servers.iter().map(|server| server.settings.name.as_str());
            let near = suggestion(name, names).map(|near| format!(" {near}")).unwrap_or_default();
            let message = format!("There is no MCP server `{name}`.{near}");
            ToolError::new(ErrorKind::ToolNotFound, message)
        })
    }

    /// Returns the server of a description, the same for the same description.
    pub(super) fn described(&self, key: String, settings: ServerSettings) -> Arc<Server> {
        let mut described = self.described.lock();
        described.retain(|_, server| server.strong_count() > 0);
        if let Some(server) = described.get(&key).and_then(Weak::upgrade) {
            return server;
        }
        let server = Server::new(settings, self.surroundings.clone());
        described.insert(key, Arc::downgrade(&server));
        server
    }

    fn registry(&self) -> Option<&Registry> {
        self.engine.get().map(|attached| attached.engine.registry())
    }

    fn plan(&self, catalogue: &Catalogue) -> Plan {
        let shelves = self.servers.iter().filter_map(|server| {
            Some((&server.settings, catalogue.shelves.get(&server.settings.name)?))
        });
        let is_taken = |name: &ToolName| {
            let is_ours = catalogue.applied.contains_key(name);
            !is_ours && self.registry().is_some_and(|registry| registry.has(name.as_str()))
        };
        plan(shelves, is_taken)
    }

    /// Brings the registry to what the shelves say, in one step.
    fn apply(self: &Arc<Self>, catalogue: &mut Catalogue) {
        let Some(Attached { engine, .. }) = self.engine.get() else { return };
        let plan = self.plan(catalogue);
        for warning in &plan.warnings {
            tracing::warn!("{warning}");
        }
        let is_new = |(name, planned): &(&ToolName, &Planned)| {
            catalogue.applied.get(*name) != Some(*planned)
        };
        let fresh: Vec<(&ToolName, &Planned)> = plan.tools.iter().filter(is_new).collect();
        let gone: Vec<Removal> = catalogue
            .applied
            .keys()
            .filter(|name| !plan.tools.contains_key(*name))
            .map(|name| name.clone().into())
            .collect();
        let tools: Vec<Tool> =
            fresh.iter().filter_map(|(name, planned)| self.tool(name, planned)).collect();
        let refused = install(engine, tools, &gone);
        catalogue.applied = plan.tools;
        catalogue.applied.retain(|name, _| !refused.contains(name));
    }

    fn tool(self: &Arc<Self>, name: &ToolName, planned: &Planned) -> Option<Tool> {
        let server = self.find(&planned.server).ok()?;
        let (definition, is_held) = match &planned.definition {
            Definition::InForce(tool) => (tool.clone(), false),
            Definition::Waiting(tool) => (tool.clone(), true),
            Definition::Unseen => {
                let about = "A new tool that has to be accepted before it can be called.";
                (rmcp::model::Tool::new(planned.own_name.clone(), about, Arc::default()), true)
            }
        };
        let mut spec = definition::spec(&server.settings, name.clone(), &definition);
        if planned.definition == Definition::Unseen {
            spec.exposure = Exposure::Hidden;
        }
        spec.enabled = !self.engine.get().is_some_and(|attached| (attached.is_off)(name));
        if is_held {
            let held = Held { servers: Arc::downgrade(self), name: name.clone() };
            return Some(Tool::executor(spec, held));
        }
        let promise = if spec.output_schema.is_some() { Promise::Schema } else { Promise::Nothing };
        let tool = planned.own_name.clone();
        let executor = McpExecutor { server: Arc::clone(server), tool, promise };
        Some(Tool { spec, work: Work::Async(Arc::new(executor)) })
    }

    fn accept(self: &Arc<Self>, name: &str) -> Result<Vec<String>, ToolError> {
        let mut catalogue = self.catalogue.lock();
        let plan = self.plan(&catalogue);
        let waits = |planned: &Planned| !matches!(planned.definition, Definition::InForce(_));
        let is_meant = |(tool, planned): &(&ToolName, &Planned)| {
            waits(planned) && (tool.as_str() == name || planned.server == name)
        };
        let meant: Vec<_> = plan.tools.iter().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(ToolError::new(
                ErrorKind::ToolNotFound,
                format!("No definition of `{name}` waits to be accepted."),
            ));
        }
        for (_, planned) in &meant {
            if let Some(shelf) = catalogue.shelves.get_mut(&planned.server) {
                shelf.accept(&planned.own_name);
            }
        }
        let accepted = meant.iter().map(|(tool, _)| tool.as_str().to_owned()).collect();
        for server in meant.iter().map(|(_, planned)| &planned.server) {
            if let (Ok(server), Some(shelf)) = (self.find(server), catalogue.shelves.get(server)) {
                self.memory.keep(&server.settings, shelf);
            }
        }
        self.apply(&mut catalogue);
        Ok(accepted)
    }

    /// Looks whether another program has accepted what waits here.
    fn look_again(self: &Arc<Self>) {
        let mut catalogue = self.catalogue.lock();
        for server in &self.servers {
            let name = &server.settings.name;
            let Some(remembered) = self.memory.recall(&server.settings) else { continue };
            if let Some(shelf) = catalogue.shelves.get_mut(name) {
                let is_same = |tool: &String, new: &rmcp::model::Tool| {
                    remembered.accepted.tools.get(tool) == Some(new)
                };
                let accepted: Vec<String> = shelf
                    .waiting
                    .iter()
                    .filter(|(tool, new)| is_same(tool, new))
                    .map(|(tool, _)| tool.clone())
                    .collect();
                for tool in accepted {
                    shelf.accept(&tool);
                }
            }
        }
        self.apply(&mut catalogue);
    }

    fn announce(&self, server: &str, changed: &[Changed], plan: &Plan) {
        let Some(Attached { engine, .. }) = self.engine.get() else { return };
        for change in changed {
            let found = plan
                .tools
                .iter()
                .find(|(_, planned)| planned.server == server && planned.own_name == change.tool);
            let Some((name, _)) = found else { continue };
            let data = json!({ "server": server, "changed": change.parts, "waiting": true });
            engine.announce(EventKind::ToolUpdated, Some(name.text()), data);
            tracing::warn!(
                "The MCP server `{server}` changed `{name}` ({}); `toolsmith tools accept {name}` \
                 accepts the change.",
                change.parts.join(", ")
            );
        }
    }
}

/// A weak handle hears for the servers, so that a server does not keep them.
impl Audience for Inner {
    fn hear(self: Arc<Self>, server: &str, listed: Listed) {
        let Ok(settings) = self.find(server).map(|server| server.settings.clone()) else { return };
        let mut catalogue = self.catalogue.lock();
        let before = catalogue.shelves.get(server);
        let (shelf, changed) = Shelf::update(before, listed.listing, settings.on_change);
        if before != Some(&shelf) {
            self.memory.keep(&settings, &shelf);
            catalogue.shelves.insert(server.to_owned(), shelf);
        }
        self.apply(&mut catalogue);
        let plan = self.plan(&catalogue);
        self.announce(server, &changed, &plan);
    }
}

/// Changes the registry in one step, or, when it refuses a tool, tool by tool.
///
/// Returns the names of the tools that it refused.
fn install(engine: &Engine, tools: Vec<Tool>, gone: &[Removal]) -> Vec<ToolName> {
    if tools.is_empty() && gone.is_empty() {
        return Vec::new();
    }
    if engine.registry().reload(tools.clone(), gone).is_ok() {
        return Vec::new();
    }
    if let Err(error) = engine.registry().reload([], gone) {
        tracing::warn!("Tools of MCP servers cannot be removed: {error}");
    }
    let mut refused = Vec::new();
    for tool in tools {
        let name = tool.spec.name.clone();
        let Err(error) = engine.registry().reload([tool.clone()], &[]) else { continue };
        // Many servers describe their output wrongly; the tool works all the same.
        let without = Tool { spec: tool.spec.with(|spec| spec.output_schema = None), ..tool };
        match engine.registry().reload([without], &[]) {
            Ok(_) => tracing::warn!("The output schema of a tool is not used: {error}"),
            Err(error) => {
                tracing::warn!("A tool of an MCP server is left out: {error}");
                refused.push(name);
            }
        }
    }
    refused
}

/// Answers for a tool whose definition has to be accepted.
#[derive(Debug)]
struct Held {
    servers: Weak<Inner>,
    name: ToolName,
}

impl Executor for Held {
    fn execute<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            if let Some(servers) = self.servers.upgrade() {
                servers.look_again();
            }
            let name = &self.name;
            Err(ToolError::new(
                ErrorKind::ApprovalRequired,
                format!(
                    "The MCP server has changed the definition of `{name}`, and a person has to accept \
                     that first: `toolsmith tools accept {name}`. Then call it again."
                ),
            ))
        })
    }
}
