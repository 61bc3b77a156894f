//! The life of one container: waits for its end, says how it ended, removes it.

use std::{fmt, time::Duration};

use bollard::{
    Docker,
    errors::Error,
    query_parameters::{InspectContainerOptions, StopContainerOptionsBuilder},
};
use futures_util::StreamExt;
use tokio::{runtime::Handle, sync::oneshot, task::JoinSet, time::timeout};
use toolsmith_core::BoxFuture;

use super::{
    engine::{self, Engine},
    entry::Memory,
    plan::SocketFolder,
};
use crate::{
    life::{End, Life, Services},
    process::Port,
};

/// How long a container may take to end when it was asked to, in seconds.
const GRACE: i32 = 2;

/// How long the engine may take to stop and remove it.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long the log of a container that has ended is listened to.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// A container that exists; it is removed when this is dropped.
pub(super) struct ContainerLife {
    pub(super) docker: Docker,
    pub(super) engine: Engine,
    pub(super) id: String,
    pub(super) services: Services,
    pub(super) memory: Option<Memory>,
    /// Listens to its log and waits for its end.
    pub(super) listeners: JoinSet<()>,
    pub(super) exit: Option<oneshot::Receiver<()>>,
    pub(super) socket: Option<SocketFolder>,
    /// The port of this machine that it was told.
    pub(super) port: Option<Port>,
    pub(super) is_removed: bool,
}

impl ContainerLife {
    async fn end(&self) -> End {
        let asked = self.docker.inspect_container(&self.id, None::<InspectContainerOptions>).await;
        let Some(state) = asked.ok().and_then(|seen| seen.state) else {
            let how = "was lost: the container engine is gone, or knows nothing of it any more";
            let how = how.to_owned();
            return End { how, ..End::default() };
        };
        let code = state.exit_code;
        let how = match (&self.memory, state.oom_killed) {
            (Some(memory), Some(true)) => format!(
                "was killed because it needed more than its memory limit of {}; ask for less, or \
                 raise `memory`",
                memory.written
            ),
            (None, Some(true)) => "was killed because the machine had no memory left".to_owned(),
            _ => format!("ended with exit code {}", code.unwrap_or_default()),
        };
        End { how, exit_code: code, signal: None }
    }

    async fn remove(&mut self) {
        if self.is_removed {
            return;
        }
        if let Err(error) = engine::remove(&self.docker, &self.id).await {
            tracing::warn!(%error, container = self.id, "a container could not be removed");
            self.engine.remember(&self.id);
        }
        self.is_removed = true;
    }
}

/// Waits until a container does not run any more.
pub(super) async fn wait(docker: Docker, id: String, tell: oneshot::Sender<()>) {
    loop {
        let mut waiting = Box::pin(docker.wait_container(&id, None));
        if !matches!(waiting.next().await, Some(Err(Error::RequestTimeoutError))) {
            break;
        }
    }
    // Whoever held the container may have gone.
    tell.send(()).ok();
}

impl Life for ContainerLife {
    fn ended(&mut self) -> BoxFuture<'_, End> {
        Box::pin(async move {
            if let Some(exit) = &mut self.exit {
                exit.await.ok();
                self.exit = None;
            }
            let heard = async { while self.listeners.join_next().await.is_some() {} };
            timeout(LAST_WORDS, heard).await.ok();
            self.end().await
        })
    }

    fn stop(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let stopped = async {
                let options = StopContainerOptionsBuilder::new().t(GRACE).build();
                // One that has ended meanwhile is removed all the same.
                self.docker.stop_container(&self.id, Some(options)).await.ok();
                self.remove().await;
            };
            if timeout(PATIENCE, stopped).await.is_err() {
                self.engine.remember(&self.id);
            }
        })
    }
}

impl Drop for ContainerLife {
    fn drop(&mut self) {
        // Without a runtime the next run removes it, by its labels.
        if self.is_removed || Handle::try_current().is_err() {
            return;
        }
        let (docker, engine, id) = (self.docker.clone(), self.engine.clone(), self.id.clone());
        self.services.spawn(async move {
            if engine::remove(&docker, &id).await.is_err() {
                engine.remember(&id);
            }
        });
    }
}

impl fmt::Debug for ContainerLife {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ContainerLife").field(&self.id).finish()
    }
}
