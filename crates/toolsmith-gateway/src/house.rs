//! What the doors ask of the program around them.

use std::{collections::BTreeMap, fmt::Debug, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use toolsmith_core::{
    Artifact, Artifacts, BackendRuntime, BoxFuture, Group, Library, State, Text, ToolSpec,
};

use crate::Caretaker;

/// What the doors ask of the program around them: what an engine does not know.
pub trait House: Debug + Send + Sync {
    /// Returns the groups in force.
    fn groups(&self) -> Vec<Arc<Group>>;

    /// Returns the state of a tool.
    fn state(&self, tool: &ToolSpec) -> State;

    /// Returns where all tools run that may be in a state; nothing when that may be anywhere.
    fn runtimes_in(&self, _state: State) -> Option<&'static [BackendRuntime]> {
        None
    }

    /// Returns how the parts of the program are, by name.
    fn health(&self) -> BTreeMap<&'static str, Health>;

    /// Tells whether everything is there that calls may need.
    fn is_ready(&self) -> bool {
        true
    }

    /// Returns the states of the servers whose tools are offered.
    fn upstreams(&self) -> Vec<(Text, State)> {
        Vec::new()
    }

    /// Returns where outputs are kept that were too large to show, if they are.
    fn artifacts(&self) -> Option<Arc<dyn Artifacts>> {
        None
    }

    /// Lists the kept outputs of a caller's calls, the youngest first.
    fn recent_artifacts<'a>(
        &'a self,
        _caller: &'a str,
        _most: usize,
    ) -> BoxFuture<'a, Vec<Artifact>> {
        Box::pin(async { Vec::new() })
    }

    /// Returns the resources and prompts that are offered besides tools, if there are any.
    fn library(&self) -> Option<Arc<dyn Library>> {
        None
    }

    /// Returns who changes the tools; nobody when they cannot be changed from here.
    fn caretaker(&self) -> Option<&dyn Caretaker> {
        None
    }
}

/// How a part of the program is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Health {
    /// Whether it does what it should.
    pub ok: bool,
    /// What there is to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Text>,
}

impl Health {
    /// Makes the health of a part that does what it should.
    pub fn good() -> Self {
        Self { ok: true, note: None }
    }

    /// Makes the health of a part that does not, and says why.
    pub fn bad(why: impl Into<Text>) -> Self {
        Self { ok: false, note: Some(why.into()) }
    }
}
