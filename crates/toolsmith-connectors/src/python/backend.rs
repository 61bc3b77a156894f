//! Starts the process that runs a function, and waits until the function is loaded.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::time::timeout;
use toolsmith_children::Sandbox;
use toolsmith_core::{BoxFuture, Draft, ToolError, Vault};

use super::{
    entry::{Code, Entry},
    line::{Opening, PythonLine},
};
use crate::{
    life::{Backend, End, Life, Log, Services, Started},
    process::{Launch, place},
    uv::{Packages, Wanted},
};

/// What runs the function; it needs nothing but Python itself.
const SHIM: &str = include_str!("shim.py");

/// Starts the process of one function.
#[derive(Debug)]
pub(super) struct Python {
    tool: String,
    entry: Entry,
    folder: PathBuf,
    vault: Vault,
    services: Services,
}

impl Python {
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
        let mut life = self.launch().await?.spawn(self.services.children(), log).await?;
        let opening = PythonLine::open(&mut life, &self.entry.function, log);
        let opened = timeout(self.entry.start_timeout, opening).await;
        let line = match opened {
            Ok(Opening::Ready(line)) => line,
            Ok(Opening::Failed(why)) => {
                life.ended().await;
                return Err(self.not_loaded(&why, log));
            }
            Ok(Opening::Ended) => {
                let end = life.ended().await;
                let message =
                    format!("The process of `{}` {} before it was well.", self.tool, end.how);
                return Err(log.explain(message, &end));
            }
            Err(_) => {
                drop(life);
                return Err(self.too_slow(log));
            }
        };
        let pid = Some(life.child.pid());
        Ok(Started { line, life: Box::new(life), pid, port: None })
    }

    async fn launch(&self) -> Result<Launch<'_>, ToolError> {
        let dir = self.entry.dir.as_ref().map(|dir| self.vault.fill(dir)).transpose()?;
        let folder = place(&self.folder, dir.as_ref().map(|dir| dir.expose().as_str()));
        let mut sandbox = self.entry.sandbox.clone();
        let packages = match &mut sandbox {
            None => None,
            Some(sandbox) => {
                let packages = self.packages(&folder, sandbox).await?;
                sandbox.read.extend(packages.shown());
                Some(packages)
            }
        };
        let (mut words, inherited) = match &packages {
            None => (self.uv_run(&folder), self.services.uv_environment()),
            Some(packages) => {
                let mut inherited = self.services.clean_environment();
                inherited.extend(packages.variables());
                (vec![packages.python().display().to_string()], inherited)
            }
        };
        let (kind, target) = match &self.entry.code {
            Code::Module(module) => ("module", module),
            Code::File(file) => ("file", file),
        };
        words.extend(["-u", "-c", SHIM, kind, target].map(str::to_owned));
        words.push(self.entry.function.clone());
        let (env, limits) = (self.entry.env.as_slice(), self.entry.limits);
        Ok(Launch { words, folder, inherited, env, vault: &self.vault, limits, sandbox, packages })
    }

    /// Returns the words by which uv starts Python with all packages.
    fn uv_run(&self, folder: &Path) -> Vec<String> {
        let mut words: Vec<String> = ["uv", "run", "--quiet"].map(str::to_owned).to_vec();
        // A project further up is none of ours, and would only be built for nothing.
        if !folder.join("pyproject.toml").is_file() {
            words.push("--no-project".to_owned());
        }
        for dependency in &self.entry.dependencies {
            words.extend(["--with".to_owned(), dependency.clone()]);
        }
        words.push("python".to_owned());
        words
    }

    async fn packages(&self, folder: &Path, sandbox: &Sandbox) -> Result<Packages, ToolError> {
        let dependencies = &self.entry.dependencies;
        let wanted = Wanted { folder, dependencies, sandbox, redactor: self.vault.redactor() };
        wanted.get(&self.services, self.entry.start_timeout).await
    }

    fn not_loaded(&self, why: &str, log: &Log) -> ToolError {
        let function = &self.entry.function;
        let message = format!("The function `{function}` could not be loaded: {why}.");
        log.explain(message, &End::default())
    }

    fn too_slow(&self, log: &Log) -> ToolError {
        let seconds = self.entry.start_timeout.as_secs_f64();
        let message = format!(
            "The function `{}` was not loaded within {seconds} s; `health.timeout` gives it more \
             time.",
            self.entry.function
        );
        log.explain(message, &End::default())
    }
}

impl Backend for Python {
    fn noun(&self) -> &'static str {
        "process"
    }

    fn start<'a>(&'a self, log: &'a Arc<Log>) -> BoxFuture<'a, Result<Started, ToolError>> {
        Box::pin(self.run(log))
    }
}
