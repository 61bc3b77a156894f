//! The servers, and which of their tools the registry holds.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::{Arc, OnceLock, Weak},
};

use parking_lot::Mutex;
use tokio::sync::watch;
use toolsmith_core::{
    Editions, ErrorKind, EventKind, Exposure, Rights, Tool, ToolError, ToolName, Work, json,
    suggestion,
};
use toolsmith_engine::{
    Engine,
    registry::{Registry, Removal},
};

use super::{
    catalogue::{Changed, Definition, Plan, Planned, Shelf, plan},
    definition,
    executor::McpExecutor,
    held::{self, Held},
    listing::Listed,
    memory::Memory,
    news::Heard,
    offer::Offer,
    output::Promise,
    server::{Audience, Server},
    settings::ServerSettings,
    shop::Shop,
    status::Status,
    stock::Stock,
    surroundings::Surroundings,
};

/// Tells whether a tool was switched off by hand.
pub type IsOff = Arc<dyn Fn(&ToolName) -> bool + Send + Sync>;

/// The servers, and what is known of their tools.
#[derive(Debug)]
pub(super) struct Roster {
    surroundings: Surroundings,
    pub(super) servers: Vec<Arc<Server>>,
    /// Servers that definitions describe themselves, shared by equal descriptions.
    described: Mutex<HashMap<String, Weak<Server>>>,
    memory: Memory,
    engine: OnceLock<Attached>,
    catalogue: Mutex<Catalogue>,
    /// What is offered besides tools; nothing when nobody wants to know.
    shop: OnceLock<Shop>,
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
    applied: BTreeMap<ToolName, Applied>,
}

/// A tool as the registry holds it.
#[derive(Debug, PartialEq)]
struct Applied {
    planned: Planned,
    is_off: bool,
}

impl Roster {
    /// Takes servers in the order in which they get names, with what is remembered of them.
    pub(super) fn new(surroundings: Surroundings, settings: Vec<ServerSettings>) -> Arc<Self> {
        let memory = Memory::at(surroundings.memory.clone());
        let servers: Vec<Arc<Server>> = settings
            .into_iter()
            .map(|settings| Server::new(settings, surroundings.clone()))
            .collect();
        let shelves = servers.iter().filter_map(|server| {
            Some((server.settings.name.clone(), memory.recall(&server.settings)?))
        });
        let catalogue = Catalogue { shelves: shelves.collect(), applied: BTreeMap::new() };
        let roster = Arc::new(Self {
            surroundings,
            servers,
            described: Mutex::default(),
            memory,
            engine: OnceLock::new(),
            catalogue: Mutex::new(catalogue),
            shop: OnceLock::new(),
        });
        for server in &roster.servers {
            let audience: Weak<dyn Audience> = Arc::<Self>::downgrade(&roster);
            server.set_audience(audience);
        }
        roster
    }

    /// Fills the registry of an engine, now and whenever a server lists something else.
    pub(super) fn attach(self: &Arc<Self>, engine: &Engine, is_off: IsOff) {
        if self.engine.set(Attached { engine: engine.clone(), is_off }).is_ok() {
            self.apply(&mut self.catalogue.lock());
        }
    }

    /// Tells whether the tools of a server are known.
    pub(super) fn knows(&self, server: &Server) -> bool {
        self.catalogue.lock().shelves.contains_key(&server.settings.name)
    }

    /// Returns every server that there is, those of definitions too.
    pub(super) fn all(&self) -> Vec<Arc<Server>> {
        let described = self.described.lock().values().filter_map(Weak::upgrade).collect();
        [self.servers.clone(), described].concat()
    }

    /// Returns the tools whose definitions wait to be accepted.
    pub(super) fn waiting(&self) -> Vec<String> {
        let plan = self.plan(&self.catalogue.lock());
        let waiting = plan.tools.iter().filter(|(_, planned)| planned.waits());
        waiting.map(|(name, _)| name.as_str().to_owned()).collect()
    }

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
    pub(super) fn described(
        self: &Arc<Self>,
        key: String,
        settings: ServerSettings,
    ) -> Arc<Server> {
        let mut described = self.described.lock();
        described.retain(|_, server| server.strong_count() > 0);
        if let Some(server) = described.get(&key).and_then(Weak::upgrade) {
            return server;
        }
        let server = Server::new(settings, self.surroundings.clone());
        let audience: Weak<dyn Audience> = Arc::<Self>::downgrade(self);
        server.set_audience(audience);
        described.insert(key, Arc::downgrade(&server));
        server
    }

    pub(super) fn registry(&self) -> Option<&Registry> {
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
        let Some(Attached { engine, is_off }) = self.engine.get() else { return };
        let plan = self.plan(catalogue);
        for warning in &plan.warnings {
            tracing::warn!("{warning}");
        }
        let wanted: BTreeMap<ToolName, Applied> = plan
            .tools
            .into_iter()
            .map(|(name, planned)| {
                let is_off = is_off(&name);
                (name, Applied { planned, is_off })
            })
            .collect();
        let is_new =
            |(name, wanted): &(&ToolName, &Applied)| catalogue.applied.get(*name) != Some(*wanted);
        let tools: Vec<Tool> = wanted
            .iter()
            .filter(is_new)
            .filter_map(|(name, wanted)| self.tool(name, wanted))
            .collect();
        let gone: Vec<Removal> = catalogue
            .applied
            .keys()
            .filter(|name| !wanted.contains_key(*name))
            .map(|name| name.clone().into())
            .collect();
        let refused = install(engine, tools, &gone);
        catalogue.applied = wanted;
        catalogue.applied.retain(|name, _| !refused.contains(name));
    }

    fn tool(self: &Arc<Self>, name: &ToolName, wanted: &Applied) -> Option<Tool> {
        let planned = &wanted.planned;
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
        spec.enabled = !wanted.is_off;
        spec.stream_support = planned.logs;
        if is_held {
            let held = Held { roster: Arc::downgrade(self), name: name.clone() };
            return Some(Tool::executor(spec, held));
        }
        let promise = if spec.output_schema.is_some() { Promise::Schema } else { Promise::Nothing };
        let tool = planned.own_name.clone();
        let on_change = server.settings.on_change;
        let executor = McpExecutor { server: Arc::clone(server), tool, promise, on_change };
        Some(Tool { spec, work: Work::Async(Arc::new(executor)) })
    }

    /// Accepts the changed definitions of a tool, or of all tools of a server.
    pub(super) fn accept(self: &Arc<Self>, name: &str) -> Result<Vec<String>, ToolError> {
        let mut catalogue = self.catalogue.lock();
        let plan = self.plan(&catalogue);
        let is_meant = |(tool, planned): &(&ToolName, &Planned)| {
            planned.waits() && (tool.as_str() == name || planned.server == name)
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
    pub(super) fn look_again(self: &Arc<Self>) {
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

    /// Looks again which tools are switched off.
    pub(super) fn switch(self: &Arc<Self>) {
        self.apply(&mut self.catalogue.lock());
    }

    /// Wants to know what servers offer besides tools, from the next session of each on.
    pub(super) fn open_shop(&self) {
        // Whoever reads what is offered besides tools is a client, and some clients have a model.
        self.surroundings.offer_sampling();
        self.shop.get_or_init(|| {
            let stocks = self.servers.iter().filter_map(|server| {
                Some((server.settings.name.clone(), self.memory.recall_stock(&server.settings)?))
            });
            Shop::new(stocks.collect(), self.settings())
        });
    }

    fn settings(&self) -> impl Iterator<Item = &ServerSettings> + Clone {
        self.servers.iter().map(|server| &server.settings)
    }

    /// Returns what is offered besides tools.
    pub(super) fn offer(&self) -> Arc<Offer> {
        self.shop.get().map(Shop::offer).unwrap_or_default()
    }

    /// Returns what a server offers besides tools.
    pub(super) fn stock_of(&self, server: &str) -> Stock {
        self.shop.get().map(|shop| shop.stock(server)).unwrap_or_default()
    }

    /// Lets somebody wait for changes of what is offered.
    pub(super) fn editions(&self) -> watch::Receiver<Editions> {
        match self.shop.get() {
            Some(shop) => shop.editions.subscribe(),
            None => watch::Sender::default().subscribe(),
        }
    }

    /// Returns which servers have a tool that somebody may see.
    pub(super) fn seen_by(&self, rights: &Rights) -> impl Fn(&str) -> bool + use<> {
        let seen = rights.tools.as_ref().map(|_| {
            let catalogue = self.catalogue.lock();
            let is_seen = |(name, applied): &(&ToolName, &Applied)| {
                !applied.is_off
                    && self
                        .registry()
                        .is_some_and(|all| all.visible(name.as_str(), rights).is_some())
            };
            let seen = catalogue.applied.iter().filter(is_seen);
            seen.map(|(_, applied)| applied.planned.server.clone()).collect::<HashSet<_>>()
        });
        move |server| seen.as_ref().is_none_or(|seen| seen.contains(server))
    }

    /// Returns the server that a tool of the registry belongs to.
    pub(super) fn server_of(&self, tool: &str) -> Option<&Arc<Server>> {
        let catalogue = self.catalogue.lock();
        let applied = catalogue.applied.get(tool)?;
        self.find(&applied.planned.server).ok()
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
impl Audience for Roster {
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

    fn stock(&self, server: &str, stock: Stock, heard: &Heard) {
        let (Ok(known), Some(shop)) = (self.find(server), self.shop.get()) else { return };
        self.memory.keep_stock(&known.settings, &stock);
        shop.put(server, stock, heard, self.settings());
    }

    fn stocked(&self, server: &str) -> Option<Stock> {
        // What definitions describe themselves gives its one tool and nothing else.
        self.find(server).ok()?;
        self.shop.get().map(|shop| shop.stock(server))
    }

    fn updated(&self) {
        if let Some(shop) = self.shop.get() {
            shop.editions.send_modify(|editions| editions.followed += 1);
        }
    }

    fn refusal(&self, server: &str, tool: &str) -> Option<ToolError> {
        let catalogue = self.catalogue.lock();
        if !catalogue.shelves.get(server)?.waiting.contains_key(tool) {
            return None;
        }
        let is_it = |planned: &Planned| planned.server == server && planned.own_name == tool;
        let found = catalogue.applied.iter().find(|(_, applied)| is_it(&applied.planned));
        Some(held::refusal(found.map_or(server, |(name, _)| name.as_str())))
    }

    /// One event for the server, not one for each of its tools: there may be thousands.
    fn note(&self, status: &Status) {
        let Some(Attached { engine, .. }) = self.engine.get() else { return };
        let data = serde_json::to_value(status).unwrap_or_default();
        let data = json!({
            "server": data["name"],
            "state": status.state.as_str(),
            "pid": data["pid"],
            "since": data["since"],
            "why": data["why"],
            "tools": data["tools"],
        });
        engine.announce(EventKind::ToolStateChanged, None, data);
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
