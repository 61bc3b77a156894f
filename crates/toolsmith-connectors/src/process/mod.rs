//! Processes that serve calls by HTTP: `entry.type` `process`.
//!
//! ```yaml
//! entry:
//!   type: process
//!   dir: ./my-tool            # where it starts, from the folder of the definition; or `host_dir`
//! ```
//!
//! | key | meaning |
//! |---|---|
//! | `dir`, `host_dir` | the folder of the project, in which it starts |
//! | `command` | `[uv, run, python, main.py, --port, "{port}"]` unless said; any other program |
//! | `endpoint_path`, `http_method` | where and how calls are sent: `/`, `POST` |
//! | `env` | variables of the process; `PORT` is set |
//! | `health` | `path` (asked by GET; without it a port that accepts is enough), `timeout` 30 s |
//! | `idle` | after how many seconds without a call it is stopped: 300; 0 means never |
//! | `drain` | how many seconds calls under way may take when it is stopped: 5 |
//! | `limits` | as for a command |
//! | `log_lines` | how many of its last lines are kept: 200 |
//!
//! `{port}` in the command is a free port of this machine. The process is started by the first call,
//! shared by all, stopped when idle, and started again by the next call when it has ended.

mod backend;
mod entry;
mod port;
mod spawn;

use toolsmith_core::{Draft, Fields, Kind, Made, Maker};

use self::{backend::Process, entry::Entry};
pub(crate) use self::{
    entry::{Span, read_dir},
    port::Port,
    spawn::{Launch, ProcessLife, not_started, place},
};
use crate::life::{Services, Single, Source};

/// Makes tools that are processes of their own.
#[derive(Clone, Debug)]
pub struct ProcessMaker {
    services: Services,
}

impl ProcessMaker {
    /// Lists its services among the others.
    pub fn new(services: Services) -> Self {
        Self { services }
    }

    pub(crate) fn source(
        &self,
        draft: &Draft<'_>,
        fields: &mut Fields<'_>,
    ) -> Option<Box<dyn Source>> {
        let mut entry = Entry::read(fields)?;
        if let Some(confinement) = draft.confinement {
            entry.confine(confinement, draft.folder);
        }
        let span = entry.span;
        let backend = Process::new(entry, draft, self.services.clone());
        Some(span.serve(draft, &self.services, Box::new(backend)))
    }
}

impl Maker for ProcessMaker {
    fn types(&self) -> &'static [&'static str] {
        &["process"]
    }

    fn kind(&self) -> Kind {
        Kind::Process
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
