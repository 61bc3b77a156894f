//! All servers, as a program holds them.

use std::sync::Arc;

use tokio::task::JoinSet;
use toolsmith_core::{Library, ToolError};
use toolsmith_engine::Engine;

use super::{
    library::Offerings,
    login::{self, Login},
    maker::McpMaker,
    naming,
    roster::{IsOff, Roster},
    server::Server,
    settings::{ServerSettings, Start},
    status::Status,
    surroundings::Surroundings,
};

/// The servers of a configuration, and those that definitions name; cheap to clone.
#[derive(Clone, Debug)]
pub struct Servers(pub(super) Arc<Roster>);

impl Servers {
    /// Takes servers in the order in which they get names; nothing is started.
    pub fn new(surroundings: Surroundings, settings: Vec<ServerSettings>) -> Self {
        Self(Roster::new(surroundings, settings))
    }

    /// Puts the tools that are known from earlier runs into an engine, and all later ones.
    ///
    /// Tools that are switched off are there, and cannot be called.
    pub fn attach(&self, engine: &Engine, is_off: IsOff) {
        self.0.attach(engine, is_off);
    }

    /// Returns what makes the tools of `mcp` entries.
    pub fn maker(&self) -> McpMaker {
        McpMaker::new(self.clone())
    }

    /// Returns what the servers offer besides tools; each is asked for it in its next session.
    pub fn library(&self) -> Arc<dyn Library> {
        self.0.open_shop();
        Arc::new(Offerings(Arc::clone(&self.0)))
    }

    /// Starts the servers that start with the program, and those whose tools nobody knows.
    ///
    /// Returns why servers could not be started, by name; the others are not touched by that.
    pub async fn load(&self) -> Vec<(String, ToolError)> {
        let wanted =
            |server: &&Arc<Server>| server.settings.start == Start::Eager || !self.0.knows(server);
        self.start(self.0.servers.iter().filter(wanted)).await
    }

    /// Starts the servers that may have a tool of this name, if the registry does not.
    pub async fn load_for(&self, tool: &str) -> Vec<(String, ToolError)> {
        let has = self.0.registry().is_some_and(|registry| registry.get(tool).is_some());
        if has {
            return Vec::new();
        }
        let may_have =
            |server: &&Arc<Server>| tool.starts_with(&naming::legal(&server.settings.prefix()));
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

    /// Returns how the server of a tool is; nothing when the tool is not one of a server.
    pub fn status_of(&self, tool: &str) -> Option<Status> {
        self.0.server_of(tool).map(|server| server.status())
    }

    /// Stops the server of a tool, if it is one of a server; the next call starts it again.
    pub async fn stop_for(&self, tool: &str) {
        if let Some(server) = self.0.server_of(tool) {
            server.stop().await;
        }
    }

    /// Looks again which tools are switched off; calls under way are not touched.
    pub fn switch(&self) {
        self.0.switch();
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

    /// Begins to log in to a server: a person has to open the address of the login.
    pub async fn login(&self, name: &str) -> Result<Login, ToolError> {
        Box::pin(Login::begin(Arc::clone(self.0.find(name)?))).await
    }

    /// Forgets the tokens of a server, and ends its session; says whether there were any.
    pub async fn logout(&self, name: &str) -> Result<bool, ToolError> {
        let server = self.0.find(name)?;
        let had_any = login::forget(&server.settings, &server.surroundings)?;
        server.stop().await;
        Ok(had_any)
    }

    /// Ends every session and waits until the servers are gone.
    pub async fn close(&self) {
        let mut closing = JoinSet::new();
        for server in self.0.all() {
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
        self.0.waiting()
    }
}
