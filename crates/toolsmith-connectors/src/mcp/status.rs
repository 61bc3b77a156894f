//! How a server is.

use serde::Serialize;
use toolsmith_core::Timestamp;

use crate::life::State;

/// How a server is, since when, and why.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The server.
    pub name: String,
    /// How it is.
    pub state: State,
    /// The number of its process.
    pub pid: Option<u32>,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Why, when it is not running.
    pub why: Option<String>,
    /// The revision of the protocol that was agreed on.
    pub protocol: Option<String>,
    /// How many tools it lists; nothing when nobody asked it yet.
    pub tools: Option<usize>,
}
