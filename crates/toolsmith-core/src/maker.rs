//! What turns the `entry` of a definition into something that runs.

use std::{fmt, path::Path};

use crate::{BackendRuntime, Confinement, Fields, Kind, ToolSpec, Vault, Work};

/// Makes the tools of one kind from the `entry` of their definitions.
///
/// Definitions know nothing of HTTP or processes, and connectors know nothing of files: they meet
/// here. Making starts and contacts nothing.
pub trait Maker: Send + Sync + fmt::Debug {
    /// Returns the words of `entry.type` that mean this kind.
    fn types(&self) -> &'static [&'static str];

    /// Returns the kind of the tools that it makes.
    fn kind(&self) -> Kind;

    /// Returns the keys of the entry whose text is taken as it is, `${…}` included: code.
    fn verbatim(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads the keys of an entry (besides `type`); nothing when they are not right.
    ///
    /// What is wrong is told to `entry`; keys that were not asked for are faults too.
    fn make(&self, draft: &Draft<'_>, entry: &mut Fields<'_>) -> Option<Made>;

    /// Tells whether it can make tools that run in a sandbox.
    fn can_confine(&self) -> bool {
        false
    }
}

/// What a maker knows besides the entry.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// The rest of the definition.
    pub spec: &'a ToolSpec,
    /// The folder of the definition: relative paths begin here.
    pub folder: &'a Path,
    /// What fills in variables when they are used.
    pub vault: &'a Vault,
    /// The sandbox that its code runs in; given only to makers that can confine.
    pub confinement: Option<&'a Confinement>,
}

/// What a maker has made.
#[derive(Clone, Debug)]
pub struct Made {
    /// What runs the tool.
    pub work: Work,
    /// Where it runs, when that is not the usual place of its kind.
    pub runtime: Option<BackendRuntime>,
    /// Whether it sends chunks while it runs.
    pub streams: bool,
}

impl From<Work> for Made {
    fn from(work: Work) -> Self {
        Self { work, runtime: None, streams: false }
    }
}
