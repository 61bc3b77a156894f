//! The tools: the built-in ones, those that files define, and those of MCP servers.

use std::{
    fs,
    path::{self, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, Result};
use toolsmith_children::Children;
use toolsmith_connectors::{
    command::CommandMaker,
    javascript::JavascriptMaker,
    life::Services,
    mcp::{Servers, Surroundings},
    rest::RestMaker,
};
use toolsmith_core::{Overlay, Tool, ToolError, ToolRef, Vault};
use toolsmith_definitions::{Definitions, Makers, Strictness, Switches, Watcher, Watching};
use toolsmith_engine::Engine;

use super::{
    servers::servers,
    services::{self, Off},
    settings::{self, Shared},
};
use crate::{Session, config::Settings};

/// The tools: the built-in ones, those that files define, and those of MCP servers.
#[derive(Debug)]
pub(crate) struct Toolbox {
    builtins: Vec<Tool>,
    definitions: Definitions,
    servers: Servers,
    services: Services,
    switches: Switches,
    off: Off,
}

/// Which tools are looked for: those of MCP servers may have to be asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    /// All.
    All,
    /// This one.
    One(&'a str),
}

impl Toolbox {
    /// Prepares the configured folders; nothing is read yet.
    pub(crate) fn open(session: &Session, settings: &Settings) -> Result<Self> {
        let folders = settings::tools_folders(settings, &session.environment)?;
        Self::at(session, settings, folders)
    }

    /// Prepares other folders or files.
    pub(crate) fn at(
        session: &Session,
        settings: &Settings,
        folders: Vec<PathBuf>,
    ) -> Result<Self> {
        let variables = Arc::new(session.environment.clone());
        let vault = Vault::new(variables, session.redactor.clone());
        let overlay = Overlay::default();
        let client = settings::client(settings, &session.environment)?;
        let shared = Shared { vault: &vault, overlay: &overlay, client: &client };
        let known = settings::builtins(settings, &session.environment, shared)?;
        let builtins = toolsmith_builtins::all_with(&known)?;
        let inherited = session.environment.all();
        let children = Children::default();
        let memory = path::absolute(settings::data_folder(settings, &session.environment)?)?;
        let surroundings =
            Surroundings::new(children.clone(), &inherited, client.clone(), vault.clone())
                .with_memory(memory.join("mcp"));
        let servers = Servers::new(surroundings, servers(settings));
        let command = CommandMaker::new(children.clone(), &inherited, overlay);
        let services = Services::new(children, inherited, client.clone());
        let makers = Makers::new()
            .with(Arc::new(RestMaker::new(client.clone())))
            .with(Arc::new(command))
            .with(Arc::new(JavascriptMaker))
            .with(Arc::new(servers.maker()))
            .with_handlers(builtins.iter().cloned());
        let makers = services::add_makers(makers, &services, client, &session.environment);
        let switches = switches(session, settings)?;
        // A tool that was switched off must not come back because nobody can tell.
        switches.read().context("cannot read which tools are switched off")?;
        let strictness =
            if settings.strict_validation { Strictness::Strict } else { Strictness::Lenient };
        let definitions = Definitions::open(folders, makers, vault)
            .with_strictness(strictness)
            .with_switches(switches.clone());
        Ok(Self { builtins, definitions, servers, services, switches, off: Off::default() })
    }

    /// Returns the built-in tools.
    pub(crate) fn builtins(&self) -> Vec<Tool> {
        self.builtins.clone()
    }

    /// Returns the definitions.
    pub(crate) fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Returns the MCP servers.
    pub(crate) fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Returns the processes and containers of tools.
    pub(crate) fn services(&self) -> &Services {
        &self.services
    }

    /// Hears what `toolsmith tools stop`, `enable` and `disable` say, for as long as it is awaited.
    pub(crate) fn obey(&self) -> impl Future<Output = ()> + Send + use<> {
        let (services, servers) = (self.services.clone(), self.servers.clone());
        services::obey(services, servers, self.off.clone(), self.switches.clone())
    }

    /// Returns what was switched on and off by hand.
    pub(crate) fn switches(&self) -> &Switches {
        &self.switches
    }

    /// Puts the defined tools into an engine that has the built-in ones, and those of MCP servers
    /// that are known already.
    pub(crate) fn fill(&self, engine: &Engine) {
        for warning in self.definitions.attach(engine).warnings {
            tracing::warn!("{warning}");
        }
        self.off.change(self.switches.read().unwrap_or_default().tools);
        let off = self.off.clone();
        self.servers.attach(engine, Arc::new(move |name| off.holds(name)));
    }

    /// Asks MCP servers for their tools where nobody knows them; says who did not answer.
    ///
    /// Servers have said in the log why they did not start.
    pub(crate) async fn ask(&self, wanted: Wanted<'_>) -> Vec<(String, ToolError)> {
        match wanted {
            Wanted::All => self.servers.load().await,
            Wanted::One(name) => self.servers.load_for(ToolRef::split(name).0).await,
        }
    }

    /// Follows changes of the files as the settings say, for a program that runs for long.
    ///
    /// `toolsmith tools enable`, `disable` and `reload` are heard whatever the settings say.
    pub(crate) fn watch(&self, settings: &Settings) -> Watching {
        if let Some(folder) = self.switches.path().parent() {
            // Where it cannot be made, somebody looks for the file from time to time instead.
            fs::create_dir(folder).ok();
        }
        let mut watcher = Watcher::new(self.definitions.clone());
        if settings.auto_reload {
            watcher = watcher.with_polling(settings.reload_interval);
        }
        if settings.watch_for_changes {
            watcher = watcher.with_events();
        }
        watcher.start()
    }
}

/// Returns what was switched on and off by hand.
///
/// The file has a folder of its own: beside the database whoever listens to the folder would be
/// woken by everything that is recorded.
pub(crate) fn switches(session: &Session, settings: &Settings) -> Result<Switches> {
    let folder = path::absolute(settings::data_folder(settings, &session.environment)?)?;
    let (file, earlier) = (folder.join("switches/switches.json"), folder.join("switches.json"));
    if earlier.exists() && !file.exists() {
        // What was switched off by an earlier version must stay off.
        fs::create_dir(folder.join("switches")).ok();
        if fs::rename(&earlier, &file).is_err() {
            return Ok(Switches::at(earlier));
        }
    }
    Ok(Switches::at(file))
}
