//! What a tool is made of, where it runs, and what it is about.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Text;

/// What a tool is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A function without memory.
    #[default]
    Stateless,
    /// An object with an instance for each thread of a conversation.
    Stateful,
    /// An HTTP API.
    Rest,
    /// A tool of an MCP server.
    Mcp,
    /// One process for each call.
    Command,
    /// A process that serves calls.
    Process,
    /// A container that serves calls.
    Container,
    /// A service elsewhere.
    Remote,
    /// Inline JavaScript.
    Javascript,
    /// Steps made of other tools.
    Pipeline,
}

impl Kind {
    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stateless => "stateless",
            Self::Stateful => "stateful",
            Self::Rest => "rest",
            Self::Mcp => "mcp",
            Self::Command => "command",
            Self::Process => "process",
            Self::Container => "container",
            Self::Remote => "remote",
            Self::Javascript => "javascript",
            Self::Pipeline => "pipeline",
        }
    }

    /// Returns where a tool of this kind runs unless its connector knows better.
    ///
    /// An MCP server on standard input and output is `local`; its connector says so.
    pub fn usual_runtime(self) -> BackendRuntime {
        match self {
            Self::Stateless | Self::Stateful | Self::Javascript | Self::Pipeline => {
                BackendRuntime::Embedded
            }
            Self::Command | Self::Process => BackendRuntime::Local,
            Self::Container => BackendRuntime::Docker,
            Self::Rest | Self::Mcp | Self::Remote => BackendRuntime::Remote,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a tool runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackendRuntime {
    /// In this process.
    #[default]
    Embedded,
    /// In a child process on this machine.
    Local,
    /// In a container.
    Docker,
    /// On another machine, or behind a URL.
    Remote,
}

impl BackendRuntime {
    /// Returns the stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Local => "local",
            Self::Docker => "docker",
            Self::Remote => "remote",
        }
    }
}

impl fmt::Display for BackendRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What a tool is about: an open word, `custom` when nobody said.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Category(Text);

impl Category {
    /// The categories that have a meaning of their own; any other word is accepted too.
    pub const KNOWN: [&'static str; 11] = [
        "http",
        "database",
        "file",
        "ai",
        "notification",
        "system",
        "network",
        "data",
        "code",
        "mcp",
        "custom",
    ];

    /// Takes a word as a category.
    pub fn new(word: &str) -> Self {
        Self(word.into())
    }

    /// Returns the word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the bucket that limits count this category in: `http` and `network` are one.
    pub fn bucket(&self) -> &str {
        match &*self.0 {
            "http" => "network",
            other => other,
        }
    }

    /// Tells whether tools of this category talk to a network and so get a longer deadline.
    pub fn is_network(&self) -> bool {
        self.bucket() == "network"
    }
}

impl Default for Category {
    fn default() -> Self {
        Self::new("custom")
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
