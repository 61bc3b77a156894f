//! Starts the process of a tool on a free port and waits until it is well.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::time::timeout;
use toolsmith_children::Sandbox;
use toolsmith_core::{BoxFuture, Draft, Secret, Template, ToolError, Vault};

use super::{
    entry::Entry,
    port::Port,
    spawn::{Launch, ProcessLife, place},
};
use crate::{
    endpoint::{Door, Endpoint, HttpLine},
    life::{Backend, End, Life, Log, Services, Started},
    uv::{Packages, Wanted},
};

/// How many ports are tried when somebody else was quicker.
const PORTS: usize = 3;

/// The port of a process whose network is its own: nobody else is there to take it.
const INSIDE: u16 = 8000;

/// Starts the process of one tool.
#[derive(Debug)]
pub(super) struct Process {
    tool: String,
    entry: Entry,
    folder: PathBuf,
    vault: Vault,
    services: Services,
}

/// Why a process is not well.
enum Trouble {
    /// Somebody else took the port between our look and its own.
    PortTaken(ToolError),
    Other(ToolError),
}

impl From<ToolError> for Trouble {
    fn from(error: ToolError) -> Self {
        Self::Other(error)
    }
}

impl Process {
    pub(super) fn new(entry: Entry, draft: &Draft<'_>, services: Services) -> Self {
        Self {
            tool: draft.spec.name.to_string(),
            entry,
            folder: draft.folder.to_owned(),
            vault: draft.vault.clone(),
            services,
        }
    }

    async fn run(&self, log: &Arc<Log>) -> Result<Started, ToolError> {
        let mut attempt = 1;
        loop {
            match self.run_once(log).await {
                Ok(started) => return Ok(started),
                Err(Trouble::PortTaken(_)) if attempt < PORTS => attempt += 1,
                Err(Trouble::PortTaken(error) | Trouble::Other(error)) => return Err(error),
            }
        }
    }

    async fn run_once(&self, log: &Arc<Log>) -> Result<Started, Trouble> {
        let reserved = match &self.entry.sandbox {
            Some(sandbox) if sandbox.parts_network() => None,
            _ => Some(Port::reserve(&self.services)?),
        };
        let port = reserved.as_ref().map(|port| port.number);
        let launch = self.launch(port.unwrap_or(INSIDE)).await?;
        let mut life = launch.spawn(self.services.children(), log).await?;
        life.port = reserved;
        life.listen(log);
        let line = self.line(&mut life, port.unwrap_or(INSIDE))?;
        let well = timeout(self.entry.health.timeout, line.wait_until_well());
        let answer = tokio::select! {
            biased;
            end = life.ended() => return Err(self.ended_early(&end, log)),
            answer = well => answer,
        };
        if answer.is_err() {
            let why = line.ask().await.err().unwrap_or_default();
            return Err(Trouble::Other(self.too_slow(life, &why, log)));
        }
        let pid = Some(life.child.pid());
        Ok(Started { line: Arc::new(line), life: Box::new(life), pid, port })
    }

    async fn launch(&self, port: u16) -> Result<Launch<'_>, ToolError> {
        let dir = self.entry.dir.as_ref().map(|dir| self.vault.fill(dir)).transpose()?;
        let folder = place(&self.folder, dir.as_ref().map(|dir| dir.expose().as_str()));
        let fill = |word: &Template| {
            let text = self.vault.fill(word)?;
            Ok(text.expose().replace("{port}", &port.to_string()))
        };
        let words = self.entry.command.iter().map(fill);
        let words: Vec<String> = words.collect::<Result<_, ToolError>>()?;
        let is_uv = words.first().is_some_and(|program| is_uv(program));
        let mut sandbox = self.entry.sandbox.clone();
        let packages = match &mut sandbox {
            Some(sandbox) if is_uv => Some(self.packages(&folder, sandbox).await?),
            _ => None,
        };
        let mut inherited = match &packages {
            // In a sandbox uv is not told where packages come from, nor by which keys.
            None if is_uv => self.services.uv_environment(),
            _ => self.services.clean_environment(),
        };
        inherited.extend(packages.iter().flat_map(Packages::variables));
        inherited.insert("PORT".to_owned(), port.to_string());
        // Python would keep its last lines to itself when it is killed.
        inherited.insert("PYTHONUNBUFFERED".to_owned(), "1".to_owned());
        Ok(Launch {
            words,
            folder,
            inherited,
            env: &self.entry.env,
            vault: &self.vault,
            limits: self.entry.limits,
            sandbox,
            packages,
        })
    }

    /// Gets the packages of the project, and lets the sandbox show them.
    async fn packages(&self, folder: &Path, sandbox: &mut Sandbox) -> Result<Packages, ToolError> {
        let redactor = self.vault.redactor();
        let wanted = Wanted { folder, dependencies: &[], sandbox, redactor };
        let packages = wanted.get(&self.services, self.entry.health.timeout).await?;
        sandbox.read.extend(packages.shown());
        Ok(packages)
    }

    fn line(&self, life: &mut ProcessLife, port: u16) -> Result<HttpLine, ToolError> {
        let client = self.services.client();
        let (client, base, door) = match life.open(port)? {
            Some((doors, socket)) => {
                let base = "http://localhost".to_owned();
                (client.through(socket)?, base, Door::Inside(doors, port))
            }
            None => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
                (client.afresh()?, format!("http://{address}"), Door::Port(address))
            }
        };
        let endpoint = Endpoint {
            who: format!("The process of `{}`", self.tool),
            client,
            base: Secret::new(base),
            convention: self.entry.convention.clone(),
            headers: Vec::new(),
            redactor: self.vault.redactor().clone(),
        };
        Ok(HttpLine { endpoint, health: self.entry.health.path.clone(), door })
    }

    fn ended_early(&self, end: &End, log: &Log) -> Trouble {
        let message = format!("The process of `{}` {} before it was well.", self.tool, end.how);
        let error = log.explain(message, end);
        let said = log.last_words().to_ascii_lowercase();
        let is_taken = said.contains("address already in use") || said.contains("eaddrinuse");
        if is_taken { Trouble::PortTaken(error) } else { Trouble::Other(error) }
    }

    fn too_slow(&self, life: ProcessLife, why: &str, log: &Log) -> ToolError {
        drop(life);
        let seconds = self.entry.health.timeout.as_secs_f64();
        let message = format!(
            "The process of `{}` was not well within {seconds} s of its start: {why}. It must \
             listen on 127.0.0.1 and the port that `{{port}}` or PORT tells it; `health.timeout` \
             gives it more time.",
            self.tool
        );
        log.explain(message, &End::default())
    }
}

impl Backend for Process {
    fn noun(&self) -> &'static str {
        "process"
    }

    fn start<'a>(&'a self, log: &'a Arc<Log>) -> BoxFuture<'a, Result<Started, ToolError>> {
        Box::pin(self.run(log))
    }
}

fn is_uv(program: &str) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "uv")
}
