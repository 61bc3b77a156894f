//! Starts the container of a tool and waits until it is well.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bollard::{
    Docker,
    models::ContainerCreateBody,
    query_parameters::{
        CreateContainerOptions, InspectContainerOptions, LogsOptionsBuilder, StartContainerOptions,
    },
};
use futures_util::StreamExt;
use tokio::{sync::oneshot, task::JoinSet, time::timeout};
use toolsmith_core::{BoxFuture, Draft, Secret, ToolError, Vault};

use super::{
    engine::{self, Engine},
    entry::{Entry, Image, Network},
    image,
    life::{ContainerLife, wait},
    plan::{Plan, SocketFolder},
};
use crate::{
    endpoint::{Door, Endpoint, HttpLine},
    life::{Backend, End, Life, Log, Services, Started},
    process::Port,
};

/// The port inside a container unless its entry says otherwise.
const USUAL_PORT: u16 = 8000;

/// How long the news of an end may take that has happened already.
const NEWS: Duration = Duration::from_secs(2);

/// Starts the container of one tool.
#[derive(Debug)]
pub(super) struct Container {
    tool: String,
    entry: Entry,
    folder: PathBuf,
    vault: Vault,
    services: Services,
    engine: Engine,
}

impl Container {
    pub(super) fn new(entry: Entry, draft: &Draft<'_>, services: Services, engine: Engine) -> Self {
        Self {
            tool: draft.spec.name.to_string(),
            entry,
            folder: Path::new(".").join(draft.folder),
            vault: draft.vault.clone(),
            services,
            engine,
        }
    }

    async fn run(&self, log: &Arc<Log>) -> Result<Started, ToolError> {
        let docker = self.engine.connect().await?;
        let image = self.image(docker, log).await?;
        let reserved = match (self.entry.network, self.entry.port) {
            (Network::Host, None) => Some(Port::reserve(&self.services)?),
            _ => None,
        };
        let own = reserved.as_ref().map(|port| port.number);
        let port = self.entry.port.or(own).unwrap_or(USUAL_PORT);
        let mut life = self.create(docker, image, port).await?;
        life.port = reserved;
        let started = docker.start_container(&life.id, None::<StartContainerOptions>).await;
        started.map_err(|error| self.engine.refused(self.starting(), error))?;
        Self::listen(&mut life, log);
        let (port, pid) = self.look(docker, &life.id, port).await?;
        let Some(port) = port else {
            return Err(self.unreachable(life, log).await);
        };
        let line = self.line(port, life.socket.as_ref())?;
        let well = timeout(self.entry.health.timeout, line.wait_until_well());
        let answer = tokio::select! {
            biased;
            end = life.ended() => return Err(self.ended_early(&end, log)),
            answer = well => answer,
        };
        if answer.is_err() {
            let why = line.ask().await.err().unwrap_or_default();
            Box::new(life).stop().await;
            return Err(self.too_slow(&why, log));
        }
        let port = (self.entry.network != Network::None).then_some(port);
        Ok(Started { line: Arc::new(line), life: Box::new(life), pid, port })
    }

    /// Says why no port leads into a container: it has ended already, or its engine gave it none.
    async fn unreachable(&self, mut life: ContainerLife, log: &Log) -> ToolError {
        if let Ok(end) = timeout(NEWS, life.ended()).await {
            return self.ended_early(&end, log);
        }
        ToolError::upstream(format!(
            "No port of this machine leads to the container of `{}`: its engine has no bridge \
             network. Write `network: host` or `network: none`.",
            self.tool
        ))
    }

    fn ended_early(&self, end: &End, log: &Log) -> ToolError {
        let message = format!("The container of `{}` {} before it was well.", self.tool, end.how);
        log.explain(message, end)
    }

    /// Names what is done, and what may be missing for it.
    fn starting(&self) -> &'static str {
        match self.entry.gpu {
            Some(_) => "start the container with a GPU (it needs one, and the engine its driver)",
            None => "start the container",
        }
    }

    async fn image(&self, docker: &Docker, log: &Log) -> Result<String, ToolError> {
        match &self.entry.image {
            Image::Named(name) => {
                let name = self.vault.fill(name)?.expose().clone();
                image::fetch(docker, &self.engine, &name).await?;
                Ok(name)
            }
            Image::Built(folder) => {
                let folder = self.folder.join(self.vault.fill(folder)?.expose());
                image::build(docker, &self.engine, &folder, log).await
            }
        }
    }

    async fn create(
        &self,
        docker: &Docker,
        image: String,
        port: u16,
    ) -> Result<ContainerLife, ToolError> {
        let is_alone = self.entry.network == Network::None;
        let socket = is_alone.then(SocketFolder::make).transpose().map_err(|error| {
            ToolError::failed("No folder could be made for the socket of the container.")
                .with_source(error)
        })?;
        let plan = Plan {
            tool: &self.tool,
            entry: &self.entry,
            vault: &self.vault,
            folder: &self.folder,
            port,
            socket: socket.as_ref(),
        };
        let id = self.make(docker, plan.body(image)?).await?;
        Ok(ContainerLife {
            docker: docker.clone(),
            engine: self.engine.clone(),
            id,
            services: self.services.clone(),
            memory: self.entry.memory.clone(),
            listeners: JoinSet::new(),
            exit: None,
            socket,
            port: None,
            is_removed: false,
        })
    }

    /// Lets the engine make a container, and removes it should nobody wait for it any more.
    async fn make(&self, docker: &Docker, body: ContainerCreateBody) -> Result<String, ToolError> {
        let (tell, made) = oneshot::channel();
        let making = docker.clone();
        // A request that is dropped may have been heard: its container would be nobody's.
        self.services.spawn(async move {
            let made = making.create_container(None::<CreateContainerOptions>, body).await;
            if let Err(Ok(unwanted)) = tell.send(made) {
                engine::remove(&making, &unwanted.id).await.ok();
            }
        });
        let lost = |_| ToolError::upstream("Toolsmith ends, and starts no container any more.");
        let made = made.await.map_err(lost)?;
        Ok(made.map_err(|error| self.engine.refused("make the container", error))?.id)
    }

    fn listen(life: &mut ContainerLife, log: &Arc<Log>) {
        let (tell, exit) = oneshot::channel();
        life.exit = Some(exit);
        life.listeners.spawn(wait(life.docker.clone(), life.id.clone(), tell));
        let (docker, id, log) = (life.docker.clone(), life.id.clone(), Arc::clone(log));
        life.listeners.spawn(async move {
            let options = LogsOptionsBuilder::new().follow(true).stdout(true).stderr(true).build();
            let mut lines = Box::pin(docker.logs(&id, Some(options)));
            while let Some(Ok(line)) = lines.next().await {
                line.as_ref().split(|byte| *byte == b'\n').for_each(|line| log.add(line));
            }
        });
    }

    /// Asks for the port of this machine that leads into the container, and for its process.
    async fn look(
        &self,
        docker: &Docker,
        id: &str,
        inside: u16,
    ) -> Result<(Option<u16>, Option<u32>), ToolError> {
        let seen = docker.inspect_container(id, None::<InspectContainerOptions>).await;
        let seen = seen.map_err(|error| self.engine.refused("look at the container", error))?;
        let pid = seen.state.and_then(|state| state.pid).filter(|pid| *pid > 0);
        let pid = pid.and_then(|pid| u32::try_from(pid).ok());
        if self.entry.network != Network::Bridge {
            return Ok((Some(inside), pid));
        }
        let ports = seen.network_settings.and_then(|network| network.ports).unwrap_or_default();
        let bound = ports.get(&format!("{inside}/tcp")).cloned().flatten().unwrap_or_default();
        let port = bound.iter().find_map(|bound| bound.host_port.as_deref()?.parse().ok());
        // Never another one: whatever listens at the inner number out here is somebody else.
        Ok((port, pid))
    }

    fn line(&self, port: u16, socket: Option<&SocketFolder>) -> Result<HttpLine, ToolError> {
        let client = self.services.client();
        let (client, base, door) = match socket.map(SocketFolder::socket) {
            Some(path) => {
                (client.through(path.clone())?, "http://localhost".to_owned(), Door::Socket(path))
            }
            None => {
                let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
                // The engine accepts at a port of a bridge as soon as it has given it.
                let door = match self.entry.network {
                    Network::Bridge => Door::Forwarded(address),
                    _ => Door::Port(address),
                };
                (client.afresh()?, format!("http://{address}"), door)
            }
        };
        let endpoint = Endpoint {
            who: format!("The container of `{}`", self.tool),
            client,
            base: Secret::new(base),
            convention: self.entry.convention.clone(),
            headers: Vec::new(),
            redactor: self.vault.redactor().clone(),
        };
        Ok(HttpLine { endpoint, health: self.entry.health.path.clone(), door })
    }

    fn too_slow(&self, why: &str, log: &Log) -> ToolError {
        let seconds = self.entry.health.timeout.as_secs_f64();
        let expected = match self.entry.network {
            Network::None => "the socket that TOOLSMITH_SOCKET names",
            Network::Host => "127.0.0.1 and the port that `{port}` or PORT tells it",
            Network::Bridge => "0.0.0.0 and its `internal_port`",
        };
        let message = format!(
            "The container of `{}` was not well within {seconds} s of its start: {why}. It must \
             listen on {expected}; `health.timeout` gives it more time.",
            self.tool
        );
        log.explain(message, &End::default())
    }
}

impl Backend for Container {
    fn noun(&self) -> &'static str {
        "container"
    }

    fn start<'a>(&'a self, log: &'a Arc<Log>) -> BoxFuture<'a, Result<Started, ToolError>> {
        Box::pin(self.run(log))
    }
}
