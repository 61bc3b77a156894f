//! The container engine: found, asked for its version, and cleared of what dead runs left.

use std::{fmt, io, sync::Arc};

use bollard::{
    API_DEFAULT_VERSION, Docker,
    errors::Error,
    query_parameters::{ListContainersOptionsBuilder, RemoveContainerOptionsBuilder},
};
use parking_lot::Mutex;
use tokio::{net::UnixStream, sync::OnceCell};
use toolsmith_core::ToolError;

use super::owner::{self, OWNER};

/// Where the engine listens unless somebody says otherwise.
const USUAL: &str = "unix:///var/run/docker.sock";

/// How long the engine may take to answer a question, in seconds.
const PATIENCE: u64 = 120;

const HOW_TO_GET_ONE: &str = "Start it (`systemctl start docker`), install one (Debian and Ubuntu: \
    `apt-get install docker.io`; others: https://docs.docker.com/engine/install), or set DOCKER_HOST \
    to where it listens.";

/// The container engine; cheap to clone, contacted by the first who needs it.
#[derive(Clone)]
pub(super) struct Engine(Arc<Inner>);

struct Inner {
    host: String,
    docker: OnceCell<Docker>,
    /// Containers that could not be removed while the engine was away.
    left: Mutex<Vec<String>>,
}

impl Engine {
    /// Names the engine; an empty text means the usual one.
    pub(super) fn at(host: &str) -> Self {
        let host = if host.is_empty() { USUAL } else { host };
        let (docker, left) = (OnceCell::new(), Mutex::default());
        Self(Arc::new(Inner { host: host.to_owned(), docker, left }))
    }

    /// Returns the engine; the first time, what dead runs left behind is removed.
    pub(super) async fn connect(&self) -> Result<&Docker, ToolError> {
        let docker = self.0.docker.get_or_try_init(|| self.open()).await?;
        let left = std::mem::take(&mut *self.0.left.lock());
        for id in left {
            if remove(docker, &id).await.is_err() {
                self.remember(&id);
            }
        }
        Ok(docker)
    }

    /// Remembers a container that could not be removed: the next use of the engine removes it.
    pub(super) fn remember(&self, id: &str) {
        self.0.left.lock().push(id.to_owned());
    }

    /// Says what the engine refused to do.
    pub(super) fn refused(&self, doing: &str, error: Error) -> ToolError {
        let why = match &error {
            Error::DockerResponseServerError { message, .. } => message.trim().to_owned(),
            Error::DockerStreamError { error } => error.trim().to_owned(),
            _ if is_gone(&error) => {
                let host = &self.0.host;
                format!("nothing answers at `{host}` any more. {HOW_TO_GET_ONE}")
            }
            _ => "it did not answer as expected".to_owned(),
        };
        ToolError::upstream(format!("The container engine could not {doing}: {why}"))
            .with_source(error)
    }

    async fn open(&self) -> Result<Docker, ToolError> {
        let host = &self.0.host;
        let docker = match host.split_once("://") {
            Some(("unix", path)) => {
                UnixStream::connect(path).await.map_err(|error| self.no_socket(error))?;
                Docker::connect_with_unix(path, PATIENCE, API_DEFAULT_VERSION)
            }
            Some(("tcp" | "http", _)) => {
                Docker::connect_with_http(host, PATIENCE, API_DEFAULT_VERSION)
            }
            _ => {
                return Err(ToolError::failed(format!(
                    "DOCKER_HOST is `{host}`; only `unix://` and `tcp://` addresses are understood."
                )));
            }
        };
        let docker = docker.map_err(|error| self.silent(error))?;
        let docker = docker.negotiate_version().await.map_err(|error| self.silent(error))?;
        if let Err(error) = remove_orphans(&docker).await {
            tracing::warn!(%error, "containers of earlier runs could not be looked for");
        }
        Ok(docker)
    }

    fn no_socket(&self, error: io::Error) -> ToolError {
        let host = &self.0.host;
        let message = match error.kind() {
            io::ErrorKind::PermissionDenied => format!(
                "The container engine at `{host}` may not be used by this user. Add the user to \
                 the group of the socket (usually `docker`), or set DOCKER_HOST to an engine of \
                 its own."
            ),
            _ => format!("No container engine is running at `{host}`. {HOW_TO_GET_ONE}"),
        };
        ToolError::upstream(message).with_source(error)
    }

    fn silent(&self, error: Error) -> ToolError {
        let host = &self.0.host;
        let message = format!("No container engine answers at `{host}`. {HOW_TO_GET_ONE}");
        ToolError::upstream(message).with_source(error)
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Engine").field(&self.0.host).finish()
    }
}

/// Tells whether an engine could not be talked to at all.
fn is_gone(error: &Error) -> bool {
    matches!(
        error,
        Error::HyperLegacyError { .. }
            | Error::HyperResponseError { .. }
            | Error::IOError { .. }
            | Error::SocketNotFoundError(_)
            | Error::RequestTimeoutError
    )
}

/// Removes the containers of processes that are gone.
async fn remove_orphans(docker: &Docker) -> Result<(), Error> {
    let ours = [("label".to_owned(), vec![OWNER.to_owned()])].into();
    let options = ListContainersOptionsBuilder::new().all(true).filters(&ours).build();
    for container in docker.list_containers(Some(options)).await? {
        let labels = container.labels.unwrap_or_default();
        if let Some(id) = container.id.filter(|_| owner::is_orphan(&labels)) {
            tracing::info!(container = id, "removing a container that an earlier run left behind");
            // Somebody else may be quicker.
            remove(docker, &id).await.ok();
        }
    }
    Ok(())
}

/// Ends and removes a container with its anonymous volumes.
pub(super) async fn remove(docker: &Docker, id: &str) -> Result<(), Error> {
    let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
    match docker.remove_container(id, Some(options)).await {
        // It is gone, or somebody removes it right now.
        Err(Error::DockerResponseServerError { status_code: 404 | 409, .. }) => Ok(()),
        removed => removed,
    }
}
