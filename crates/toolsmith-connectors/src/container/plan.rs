//! What is asked of the engine for one container.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use bollard::models::{
    ContainerCreateBody, DeviceRequest, HostConfig, Mount, MountType, PortBinding, ResourcesUlimits,
};
use toolsmith_core::{Template, ToolError, Vault};

use super::{
    entry::{Entry, Network},
    owner,
};
use crate::scratch::Scratch;

/// The folder inside a container without a network in which it opens its socket.
const INSIDE: &str = "/run/toolsmith";

/// The name of that socket.
const SOCKET: &str = "tool.sock";

/// What one container is made from.
pub(super) struct Plan<'a> {
    pub(super) tool: &'a str,
    pub(super) entry: &'a Entry,
    pub(super) vault: &'a Vault,
    pub(super) folder: &'a Path,
    /// The port inside the container.
    pub(super) port: u16,
    /// The folder of its socket, when it has no network.
    pub(super) socket: Option<&'a SocketFolder>,
}

impl Plan<'_> {
    pub(super) fn body(&self, image: String) -> Result<ContainerCreateBody, ToolError> {
        let command = self.entry.command.as_ref();
        let command = command.map(|words| words.iter().map(|word| self.filled(word)).collect());
        let is_published = self.entry.network == Network::Bridge;
        Ok(ContainerCreateBody {
            image: Some(image),
            cmd: command.transpose()?,
            env: Some(self.env()?),
            user: self.entry.user.clone(),
            labels: Some(owner::labels(self.tool)),
            exposed_ports: is_published.then(|| vec![format!("{}/tcp", self.port)]),
            host_config: Some(self.host_config()?),
            ..ContainerCreateBody::default()
        })
    }

    fn host_config(&self) -> Result<HostConfig, ToolError> {
        let entry = self.entry;
        let memory = entry.memory.as_ref().map(|memory| memory.bytes.cast_signed());
        let published = (entry.network == Network::Bridge).then(|| {
            let here = PortBinding { host_ip: Some("127.0.0.1".to_owned()), host_port: None };
            [(format!("{}/tcp", self.port), Some(vec![here]))].into()
        });
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most 1024 processors were asked for"
        )]
        let nano_cpus = entry.cpus.map(|cpus| (cpus * 1e9) as i64);
        let gpus = entry.gpu.map(|count| DeviceRequest {
            count: Some(count),
            capabilities: Some(vec![vec!["gpu".to_owned()]]),
            ..DeviceRequest::default()
        });
        Ok(HostConfig {
            memory,
            // Without room to swap: the limit would otherwise only make it slow.
            memory_swap: memory,
            nano_cpus,
            pids_limit: Some(entry.pids.cast_signed()),
            ulimits: entry.cpu_seconds.map(|seconds| vec![processor_time(seconds)]),
            device_requests: gpus.map(|gpus| vec![gpus]),
            readonly_rootfs: Some(entry.is_read_only),
            tmpfs: entry.is_read_only.then(|| [("/tmp".to_owned(), String::new())].into()),
            mounts: Some(self.mounts()?),
            network_mode: Some(mode(entry.network).to_owned()),
            port_bindings: published,
            cap_drop: Some(vec!["ALL".to_owned()]),
            security_opt: Some(vec!["no-new-privileges".to_owned()]),
            // Reaps what the tool leaves behind, and hands on the signal that ends it.
            init: Some(true),
            ..HostConfig::default()
        })
    }

    fn env(&self) -> Result<Vec<String>, ToolError> {
        let mut env = vec![format!("PORT={}", self.port)];
        if self.socket.is_some() {
            env.push(format!("TOOLSMITH_SOCKET={INSIDE}/{SOCKET}"));
        }
        for (name, value) in &self.entry.env {
            env.push(format!("{name}={}", self.vault.fill(value)?.expose()));
        }
        Ok(env)
    }

    fn mounts(&self) -> Result<Vec<Mount>, ToolError> {
        let mut mounts = Vec::new();
        for mounted in &self.entry.mounts {
            let source = self.folder.join(self.vault.fill(&mounted.source)?.expose());
            let source = fs::canonicalize(&source).map_err(|error| {
                let shown = source.display();
                ToolError::failed(format!("There is nothing to mount at `{shown}`."))
                    .with_source(error)
            })?;
            mounts.push(bind(&source, &mounted.target, mounted.is_read_only));
        }
        if let Some(socket) = self.socket {
            mounts.push(bind(&socket.open, INSIDE, false));
        }
        Ok(mounts)
    }

    fn filled(&self, word: &Template) -> Result<String, ToolError> {
        Ok(self.vault.fill(word)?.expose().replace("{port}", &self.port.to_string()))
    }
}

fn processor_time(seconds: u64) -> ResourcesUlimits {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    ResourcesUlimits { name: Some("cpu".to_owned()), soft: Some(seconds), hard: Some(seconds) }
}

fn bind(source: &Path, target: &str, is_read_only: bool) -> Mount {
    Mount {
        source: Some(source.display().to_string()),
        target: Some(target.to_owned()),
        typ: Some(MountType::BIND),
        read_only: Some(is_read_only),
        ..Mount::default()
    }
}

fn mode(network: Network) -> &'static str {
    match network {
        Network::Bridge => "bridge",
        Network::Host => "host",
        Network::None => "none",
    }
}

/// A folder for the socket of one container; removed when it is dropped.
#[derive(Debug)]
pub(super) struct SocketFolder {
    /// Only we may look inside, so whoever the container runs as may write to the inner one.
    _closed: Scratch,
    open: PathBuf,
}

impl SocketFolder {
    pub(super) fn make() -> io::Result<Self> {
        let closed = Scratch::make()?;
        let open = closed.path().join("s");
        fs::create_dir(&open)?;
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777))?;
        Ok(Self { _closed: closed, open })
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.open.join(SOCKET)
    }
}
