//! Plain functions of Python, run through uv: `entry.type` `python`.
//!
//! ```yaml
//! entry:
//!   type: python
//!   file: ./text.py           # or `module: tools.text`
//!   function: count           # called with the params as keyword arguments; may be async
//!   dependencies: [httpx]     # besides those of the project in `dir`
//! ```
//!
//! `dir` is the folder of the project, from the folder of the definition; the function runs there.
//! `env`, `idle`, `drain`, `limits`, `log_lines` and `health.timeout` are as for a process. One
//! process serves all calls, several at once: async functions on one loop, others on threads. What
//! the function prints goes to the log. An exception is an `execution_error` with its type, its text
//! and its place.

mod backend;
mod entry;
mod line;

use toolsmith_core::{Draft, Fields, Kind, Made, Maker};

use self::{backend::Python, entry::Entry};
use crate::life::{Services, Single, Source};

/// Makes tools of Python functions.
#[derive(Clone, Debug)]
pub struct PythonMaker {
    services: Services,
}

impl PythonMaker {
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
        let backend = Python::new(entry, draft, self.services.clone());
        Some(span.serve(draft, &self.services, Box::new(backend)))
    }
}

impl Maker for PythonMaker {
    fn types(&self) -> &'static [&'static str] {
        &["python"]
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
