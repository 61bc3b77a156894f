//! The tools at one moment, as a call looks at them.

use std::{fmt, sync::Arc};

use arc_swap::Guard;
use toolsmith_core::{Text, ToolError, ToolRef, Version};

use super::{Entry, snapshot::Snapshot};

/// The tools at one moment.
///
/// A call keeps it and borrows its tool from it: a handle of its own to the tool would be a word
/// that all threads with this tool write to.
pub(crate) struct View(pub(super) Guard<Arc<Snapshot>>);

impl View {
    /// Finds what a caller means, its own namespace first; the error says why there is nothing.
    pub(crate) fn find_ref(
        &self,
        tool: &str,
        namespace: Option<&Text>,
    ) -> Result<&Arc<Entry>, NotFound> {
        let (name, range) = ToolRef::split(tool);
        let own = namespace.and_then(|space| self.0.get(private_name(space, name).as_str()));
        let family = own.or_else(|| self.0.get(name)).filter(|_| is_public(name));
        let Some(family) = family else { return Err(NotFound::Name) };
        let Some(range) = range else {
            return family.default_version().ok_or(NotFound::Name);
        };
        let range = ToolRef::parse_range(range).map_err(NotFound::Range)?;
        family.in_range(&range).ok_or_else(|| {
            NotFound::Version(family.versions().iter().map(|e| e.spec.version.clone()).collect())
        })
    }

    /// Finds a tool that another one of that namespace needs.
    pub(crate) fn find_need(
        &self,
        need: &ToolRef,
        namespace: Option<&Text>,
    ) -> Option<&Arc<Entry>> {
        let name = need.name.as_str();
        let own = namespace.and_then(|space| self.0.get(private_name(space, name).as_str()));
        let family = own.or_else(|| self.0.get(name))?;
        match &need.version {
            None => family.default_version(),
            Some(range) => family.in_range(range),
        }
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({} tools)", self.0.len())
    }
}

/// Why a reference means no tool.
pub(crate) enum NotFound {
    /// There is no tool of that name.
    Name,
    /// There are only these versions.
    Version(Vec<Version>),
    /// The range is not one.
    Range(ToolError),
}

/// Tells whether a name can be one of a public tool: one with a slash reaches into a namespace.
pub(super) fn is_public(name: &str) -> bool {
    !name.contains('/')
}

pub(super) fn private_name(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}
