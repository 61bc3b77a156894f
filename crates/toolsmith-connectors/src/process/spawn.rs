//! Starts a child that serves, listens to what it writes, and ends it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{task::JoinSet, time::timeout};
use toolsmith_children::{
    Child, ChildError, Children, Command, Doors, Entrance, Exit, Limits, Sandbox, find,
};
use toolsmith_core::{BoxFuture, Template, ToolError, Vault, json};

use super::port::Port;
use crate::{
    life::{End, Life, Log},
    scratch::Scratch,
    uv::Packages,
};

/// How long a child may take to end when it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// How long the pipes of a child that has ended are listened to, when somebody else holds them.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// What to start.
pub(crate) struct Launch<'a> {
    /// The program and its arguments.
    pub(crate) words: Vec<String>,
    pub(crate) folder: PathBuf,
    /// What it sees of our own environment.
    pub(crate) inherited: BTreeMap<String, String>,
    pub(crate) env: &'a [(String, Template)],
    pub(crate) vault: &'a Vault,
    pub(crate) limits: Limits,
    pub(crate) sandbox: Option<Sandbox>,
    /// What it needs and cannot get itself, in a sandbox.
    pub(crate) packages: Option<Packages>,
}

impl Launch<'_> {
    /// Starts the child; its complaints go to the log.
    pub(crate) async fn spawn(
        mut self,
        children: &Children,
        log: &Arc<Log>,
    ) -> Result<ProcessLife, ToolError> {
        let packages = self.packages.take();
        let command = self.command()?;
        let mut child = children.spawn(command).await.map_err(not_started)?;
        let mut listeners = JoinSet::new();
        if let Some(stderr) = child.stderr.take() {
            let log = Arc::clone(log);
            listeners.spawn(async move { log.follow(stderr).await });
        }
        Ok(ProcessLife { child, listeners, port: None, entrance: None, _packages: packages })
    }

    fn command(self) -> Result<Command, ToolError> {
        if !self.folder.is_dir() {
            return Err(ToolError::failed(format!(
                "There is no folder `{}` for the process to start in. Create it, or correct `dir`.",
                self.folder.display()
            )));
        }
        let mut env = self.inherited;
        for (name, template) in self.env {
            env.insert(name.clone(), self.vault.fill(template)?.expose().clone());
        }
        let mut words = self.words.into_iter();
        let name = words.next().unwrap_or_default();
        let path = env.get("PATH").cloned().unwrap_or_default();
        let file = find(&name, &path, &self.folder).map_err(not_started)?;
        // A relative path would be looked for from the folder that the process starts in.
        let file = std::path::absolute(file).map_err(ChildError::Pipes).map_err(not_started)?;
        let mut command = Command::new(file, &self.folder)
            .with_args(words)
            .with_env(env)
            .with_limits(self.limits);
        command.name = Some(name.into());
        command.sandbox = self.sandbox;
        Ok(command)
    }
}

/// A child that serves.
#[derive(Debug)]
pub(crate) struct ProcessLife {
    pub(crate) child: Child,
    /// Those who read and write its pipes.
    pub(crate) listeners: JoinSet<()>,
    /// The port of this machine that it was told.
    pub(super) port: Option<Port>,
    entrance: Option<(Entrance, Scratch)>,
    _packages: Option<Packages>,
}

impl ProcessLife {
    /// Keeps what it writes to its standard output in the log, too, and gives it nothing to read.
    pub(crate) fn listen(&mut self, log: &Arc<Log>) {
        self.child.stdin.take();
        if let Some(stdout) = self.child.stdout.take() {
            let log = Arc::clone(log);
            self.listeners.spawn(async move { log.follow(stdout).await });
        }
    }
}

impl ProcessLife {
    /// Opens a socket of ours that leads to a port inside; nothing when its network is ours.
    pub(crate) fn open(&mut self, port: u16) -> Result<Option<(Doors, PathBuf)>, ToolError> {
        let Some(doors) = self.child.doors.take() else { return Ok(None) };
        let opened = Scratch::make().and_then(|scratch| {
            let socket = scratch.path().join("socket");
            Ok((doors.serve(port, &socket)?, scratch, socket))
        });
        let (entrance, scratch, socket) = opened.map_err(|error| {
            ToolError::failed("No socket could be made that leads into the sandbox.")
                .with_source(error)
        })?;
        self.entrance = Some((entrance, scratch));
        Ok(Some((doors, socket)))
    }
}

impl Life for ProcessLife {
    fn ended(&mut self) -> BoxFuture<'_, End> {
        Box::pin(async move {
            let exit = self.child.exited().await;
            let heard = async { while self.listeners.join_next().await.is_some() {} };
            timeout(LAST_WORDS, heard).await.ok();
            end_of(exit)
        })
    }

    fn stop(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.child.ask_to_end();
            timeout(GRACE, self.child.exited()).await.ok();
        })
    }
}

fn end_of(exit: Exit) -> End {
    let hint = if exit == Exit::Memory { "; ask for less, or raise `memory`" } else { "" };
    End {
        how: format!("ended with {exit}{hint}"),
        exit_code: exit.code().map(Into::into),
        signal: exit.signal_name(),
    }
}

/// Returns where relative paths of an entry begin.
pub(crate) fn place(folder: &Path, dir: Option<&str>) -> PathBuf {
    // An empty path is the current folder, but no folder that a process could start in.
    let folder = Path::new(".").join(folder);
    dir.map_or_else(|| folder.clone(), |dir| folder.join(dir))
}

pub(crate) fn not_started(error: ChildError) -> ToolError {
    match &error {
        ChildError::NotFound { program, .. } if program == "uv" => ToolError::failed(
            "There is no program `uv`, which starts Python projects. Install it (`pip install uv`, \
             or see https://docs.astral.sh/uv), or say another `command`.",
        ),
        ChildError::NotFound { program, searched } => ToolError::failed(format!(
            "There is no program `{program}`. Install it, or correct `command`."
        ))
        .with_details(json!({ "searched": searched })),
        ChildError::Start { program, source } => ToolError::failed(format!(
            "The program `{program}` cannot be started: {}. Check the file and `dir`.",
            source.kind()
        )),
        ChildError::Sandbox { lack, .. } => ToolError::failed(format!(
            "The process was not started, since its sandbox cannot be enforced on this machine: \
             {lack}."
        )),
        ChildError::Unshown(source) => ToolError::failed(format!(
            "The process was not started, since its sandbox cannot be set up: {source}. Create \
             what is missing, or correct `sandbox`."
        )),
        _ => ToolError::failed("The process could not be talked to."),
    }
    .with_source(error)
}
