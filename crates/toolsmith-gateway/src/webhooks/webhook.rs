//! What can be set about a receiver.

use std::time::Duration;

use toolsmith_core::{AllowList, EventKind, Secret};
use toolsmith_net::Guard;

/// A receiver of events.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// What it is called in messages and in the log.
    pub name: String,
    /// Where events are posted; paths may hold secrets.
    pub url: Secret<String>,
    /// What messages are signed with; several while one takes the place of another.
    pub secrets: Vec<Secret<String>>,
    /// The kinds of events that it wants; all but pieces of outputs when nothing is said.
    pub kinds: Option<Vec<EventKind>>,
    /// The tools whose events it wants; other events are left out then.
    pub tools: Option<AllowList>,
    /// How long a receiver may take to answer.
    pub timeout: Duration,
    /// How often a message is posted before it is given up.
    pub max_tries: u32,
    /// How many events wait for a receiver; more are left out, and counted.
    pub max_waiting: usize,
    /// Whether the address may be a private one.
    pub guard: Guard,
}

impl Webhook {
    /// Makes a receiver with the usual limits.
    pub fn new(name: impl Into<String>, url: Secret<String>, secret: Secret<String>) -> Self {
        Self {
            name: name.into(),
            url,
            secrets: vec![secret],
            kinds: None,
            tools: None,
            timeout: Duration::from_secs(15),
            max_tries: 10,
            max_waiting: 10_000,
            guard: Guard::Public,
        }
    }
}
