//! In which state a tool is, since when, and why.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Text, Timestamp};

/// In which state a tool is; those in this process and elsewhere are always `running`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was not started yet, or was stopped.
    #[default]
    Stopped,
    /// It is being started.
    Starting,
    /// It answers.
    Running,
    /// It runs, but does not answer as it should.
    Unhealthy,
    /// It is being stopped.
    Stopping,
    /// It ended or did not start; the reason is said.
    Failed,
}

impl State {
    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Unhealthy => "unhealthy",
            Self::Stopping => "stopping",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// In which state a tool is, since when, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The tool.
    pub tool_name: Text,
    /// Its state.
    pub state: State,
    /// The number of its process.
    pub pid: Option<u32>,
    /// The port on this machine that it listens on.
    pub port: Option<u16>,
    /// Since when it is like that.
    pub since: Timestamp,
    /// Why, when it does not run.
    pub why: Option<String>,
}
