//! Containers that serve calls by HTTP: `entry.type` `container`.
//!
//! ```yaml
//! entry:
//!   type: container
//!   build: ./folder           # with a Dockerfile; or `image: registry/name:tag`
//!   internal_port: 8000       # where it listens inside
//!   memory: 256m
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `image` or `build` | what to run: fetched when it is missing, or built from a folder |
//! | `internal_port` | the port inside the container: 8000 |
//! | `endpoint_path`, `http_method`, `health`, `idle`, `drain`, `log_lines` | as for a process |
//! | `command` | what to run in place of the image's own command; `{port}` is the port |
//! | `env` | variables; `PORT` is set |
//! | `mounts` | `[{source, target, read_only}]`, from the folder of the definition; read only unless said |
//! | `memory`, `cpus`, `pids` | the most it may use: `64m`, `0.5`, 100; 512 processes unless said |
//! | `gpu` | `true` for all, or how many |
//! | `read_only` | whether its root cannot be written: true; `/tmp` can |
//! | `network` | `bridge` (a port of ours leads in), `host`, or `none` (a socket: `TOOLSMITH_SOCKET`) |
//! | `user` | who it runs as inside |
//!
//! Containers get no privileges and no capabilities. They carry labels that name our process: those
//! of a process that is gone are removed when the engine is used next.

mod backend;
mod confine;
mod context;
mod engine;
mod entry;
mod image;
mod life;
mod owner;
mod plan;
mod size;

use toolsmith_core::{Draft, Fields, Kind, Made, Maker};

use self::{backend::Container, engine::Engine, entry::Entry};
use crate::life::{Services, Single, Source};

/// Makes tools that are containers of their own.
#[derive(Clone, Debug)]
pub struct ContainerMaker {
    services: Services,
    engine: Engine,
}

impl ContainerMaker {
    /// Lists its services among the others; `docker_host` says where the engine is.
    ///
    /// An empty text means the usual socket of this machine.
    pub fn new(services: Services, docker_host: &str) -> Self {
        Self { services, engine: Engine::at(docker_host) }
    }

    pub(crate) fn source(
        &self,
        draft: &Draft<'_>,
        fields: &mut Fields<'_>,
    ) -> Option<Box<dyn Source>> {
        let mut entry = Entry::read(fields)?;
        if let Some(confinement) = draft.confinement {
            entry = entry.confine(confinement, fields)?;
        }
        let span = entry.span;
        let (services, engine) = (self.services.clone(), self.engine.clone());
        let backend = Container::new(entry, draft, services, engine);
        Some(span.serve(draft, &self.services, Box::new(backend)))
    }
}

impl Maker for ContainerMaker {
    fn types(&self) -> &'static [&'static str] {
        &["container"]
    }

    fn kind(&self) -> Kind {
        Kind::Container
    }

    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made> {
        self.source(draft, entry).map(Single::of)
    }

    fn can_confine(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
