//! Makes an environment of Python packages for a program that may not make it itself.
//!
//! A program in a sandbox reaches neither a registry nor uv's cache. So uv makes a fresh environment
//! outside before the program begins, in a folder of ours that the sandbox shows. For code that
//! nobody has looked at, nothing of the project runs on the way: neither a build, nor an interpreter
//! that its settings or an environment of its own name.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::timeout;
use toolsmith_children::{Command, Exchange, Profile, Sandbox, find};
use toolsmith_core::{Redactor, ToolError, json};

use crate::{life::Services, process::not_started, scratch::Scratch};

/// How much of what uv says stands in a message, in bytes.
const IN_MESSAGE: usize = 1_500;

/// The folder of the environment.
const ENVIRONMENT: &str = "env";

/// The folder of packages besides those of the project.
const MORE: &str = "more";

/// An environment of packages; removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Packages {
    scratch: Scratch,
}

/// What an environment is made from.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// The folder of the program; with a `pyproject.toml` its packages are wanted.
    pub(crate) folder: &'a Path,
    /// Packages besides those of the project.
    pub(crate) dependencies: &'a [String],
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) redactor: &'a Redactor,
}

impl Wanted<'_> {
    /// Lets uv make the environment within a time.
    pub(crate) async fn get(
        self,
        services: &Services,
        patience: Duration,
    ) -> Result<Packages, ToolError> {
        let making = timeout(patience, Packages::make(services, &self));
        making.await.unwrap_or_else(|_| {
            let seconds = patience.as_secs_f64();
            Err(ToolError::upstream(format!(
                "uv did not get the packages of the tool within {seconds} s; `health.timeout` gives \
                 it more time."
            )))
        })
    }
}

impl Packages {
    async fn make(services: &Services, wanted: &Wanted<'_>) -> Result<Self, ToolError> {
        let scratch = Scratch::make().map_err(|error| {
            ToolError::failed("No folder could be made for the packages of the tool.")
                .with_source(error)
        })?;
        let packages = Self { scratch };
        let uv = Uv { services, wanted, packages: &packages };
        let own = packages.scratch.path();
        // It begins in our own folder, where no setting of the project chooses the interpreter. One
        // that has packages is never asked anything out here: some packages run when it starts.
        let found = uv.run(own, &["python", "find", "--no-config", "--no-project"]).await?;
        let python = found.trim();
        if wanted.folder.join("pyproject.toml").is_file() {
            uv.run(wanted.folder, &["sync", "--python", python]).await?;
        } else {
            uv.run(own, &["venv", "--python", python, ENVIRONMENT]).await?;
        }
        if !wanted.dependencies.is_empty() {
            let mut words = vec!["pip", "install", "--python", python, "--target", MORE, "--"];
            words.extend(wanted.dependencies.iter().map(String::as_str));
            uv.run(own, &words).await?;
        }
        Ok(packages)
    }

    /// Returns the interpreter that finds the packages.
    pub(crate) fn python(&self) -> PathBuf {
        self.folder().join("bin/python")
    }

    /// Returns what a sandbox has to show for the interpreter to run.
    pub(crate) fn shown(&self) -> Vec<PathBuf> {
        let mut shown = vec![self.folder()];
        shown.extend(self.more());
        let real = fs::canonicalize(self.python()).unwrap_or_default();
        let home = fs::read_to_string(self.folder().join("pyvenv.cfg")).unwrap_or_default();
        let home = home.lines().find_map(|line| line.strip_prefix("home = ")).unwrap_or_default();
        for programs in [Some(Path::new(home)), real.parent()].into_iter().flatten() {
            // Only what belongs to the interpreter: the folder above may be somebody's home.
            let above = programs.parent().unwrap_or(programs);
            let parts = [programs.to_owned(), above.join("lib"), above.join("lib64")];
            shown.extend(parts.into_iter().filter(|part| part.parent().is_some() && part.is_dir()));
        }
        shown
    }

    /// Returns the variables by which uv and Python use the environment as it is.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let folder = self.folder().display().to_string();
        let places = ["VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"];
        let mut variables = BTreeMap::from(places.map(|name| (name.to_owned(), folder.clone())));
        let settled = ["UV_NO_SYNC", "UV_OFFLINE", "UV_NO_CACHE"];
        variables.extend(settled.map(|name| (name.to_owned(), "1".to_owned())));
        variables.insert("UV_PYTHON_DOWNLOADS".to_owned(), "never".to_owned());
        let more = self.more().map(|more| more.display().to_string());
        variables.extend(more.map(|more| ("PYTHONPATH".to_owned(), more)));
        variables
    }

    fn folder(&self) -> PathBuf {
        self.scratch.path().join(ENVIRONMENT)
    }

    fn more(&self) -> Option<PathBuf> {
        Some(self.scratch.path().join(MORE)).filter(|more| more.is_dir())
    }
}

/// Runs uv outside of the sandbox.
struct Uv<'a> {
    services: &'a Services,
    wanted: &'a Wanted<'a>,
    packages: &'a Packages,
}

impl Uv<'_> {
    async fn run(&self, folder: &Path, words: &[&str]) -> Result<String, ToolError> {
        let mut env = self.services.uv_environment();
        let place = self.packages.folder().display().to_string();
        env.insert("UV_PROJECT_ENVIRONMENT".to_owned(), place);
        if self.wanted.sandbox.profile == Profile::Strict {
            let held = ["UV_NO_BUILD", "UV_NO_CONFIG", "UV_NO_INSTALL_PROJECT"];
            env.extend(held.map(|name| (name.to_owned(), "1".to_owned())));
        }
        let path = env.get("PATH").cloned().unwrap_or_default();
        let file = find("uv", &path, folder).map_err(not_started)?;
        let args = words.iter().map(OsString::from);
        let command = Command::new(file, folder).with_args(args).with_env(env);
        let run = self.services.children().run(command, Exchange::feeding("")).await;
        let finished = run.map_err(not_started)?;
        if finished.exit.code() == Some(0) {
            return Ok(String::from_utf8_lossy(&finished.stdout).into_owned());
        }
        Err(self.failed(&finished.stderr_tail))
    }

    fn failed(&self, said: &[u8]) -> ToolError {
        let said = String::from_utf8_lossy(said);
        let said = self.wanted.redactor.text(said.trim());
        let start = said.ceil_char_boundary(said.len().saturating_sub(IN_MESSAGE));
        let hint = match self.wanted.sandbox.profile {
            Profile::Standard => "",
            Profile::Strict => {
                " For `sandbox: strict` nothing is built: every package must be there as a wheel."
            }
        };
        let message = format!(
            "uv could not get the packages of the tool, which it does before the sandbox \
             begins.{hint} It said:\n{}",
            said.get(start..).unwrap_or_default()
        );
        ToolError::upstream(message).with_details(json!({ "uv": said }))
    }
}
