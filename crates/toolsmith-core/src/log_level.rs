//! How grave a message of a running tool is.

use serde::{Deserialize, Serialize};

/// How grave a message of a running tool is, in the words of syslog and MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum LogLevel {
    /// For who looks for a fault.
    Debug,
    /// What goes on.
    Info,
    /// Worth a look.
    Notice,
    /// May become a fault.
    Warning,
    /// A fault.
    Error,
    /// A part does not work.
    Critical,
    /// Someone must act now.
    Alert,
    /// Nothing works.
    Emergency,
}

impl LogLevel {
    /// Every level, the least grave first.
    pub const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];
}
