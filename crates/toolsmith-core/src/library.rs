//! Resources and prompts that are offered besides tools.

use std::{any::Any, fmt, sync::Arc};

use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::{Asker, BoxFuture, Rights, ToolError};

/// What somebody may be asked while a resource is read or a prompt is made.
pub type MaybeAsker = Option<Arc<dyn Asker>>;

/// What a library answers; nothing when it has no such thing, or not for who asks.
pub type Found = Option<Result<Value, ToolError>>;

/// Who reads: what they may see, and how they are asked something.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// The tools that they may see, which says what else they see.
    pub rights: Rights,
    /// Who answers questions on their behalf.
    pub asker: MaybeAsker,
}

/// Resources and prompts besides tools, in the words of the MCP protocol.
///
/// Items are what its lists hold, and answers are the results of its methods. Rights are about
/// tools: whoever may see none of those that a resource or a prompt comes with sees neither.
pub trait Library: Send + Sync + fmt::Debug {
    /// Lists the resources.
    fn resources<'a>(&'a self, rights: &'a Rights) -> BoxFuture<'a, Vec<Value>>;

    /// Lists the templates of addresses of resources.
    fn templates<'a>(&'a self, rights: &'a Rights) -> BoxFuture<'a, Vec<Value>>;

    /// Lists the prompts.
    fn prompts<'a>(&'a self, rights: &'a Rights) -> BoxFuture<'a, Vec<Value>>;

    /// Reads the resource at an address: `{contents}`.
    fn read<'a>(&'a self, uri: &'a str, reader: Reader) -> BoxFuture<'a, Found>;

    /// Makes a prompt: `{messages, description?}`.
    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        reader: Reader,
    ) -> BoxFuture<'a, Found>;

    /// Completes an argument; the request is the `params` of the method, the answer `{completion}`.
    fn complete<'a>(&'a self, request: &'a Value, rights: &'a Rights) -> BoxFuture<'a, Found>;

    /// Follows a resource; nothing when it cannot be followed.
    fn watch<'a>(&'a self, _uri: &'a str, _rights: &'a Rights) -> BoxFuture<'a, Option<Watched>> {
        Box::pin(async { None })
    }

    /// Lets somebody wait for changes of the lists, and of resources that are followed.
    fn changes(&self) -> watch::Receiver<Editions>;
}

/// How often the lists of a library have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    /// The list of resources.
    pub resources: u64,
    /// The list of prompts.
    pub prompts: u64,
    /// Any of the resources that somebody follows.
    pub followed: u64,
}

/// A resource that somebody follows, for as long as this is held.
pub struct Watched {
    changes: watch::Receiver<u64>,
    _hold: Box<dyn Any + Send + Sync>,
}

impl Watched {
    /// Takes what counts the changes, and what is dropped when nobody follows any more.
    pub fn new(changes: watch::Receiver<u64>, hold: impl Any + Send + Sync) -> Self {
        Self { changes, _hold: Box::new(hold) }
    }

    /// Tells whether the resource has changed since this was last asked.
    pub fn take_change(&mut self) -> bool {
        let has_changed = self.changes.has_changed().unwrap_or_default();
        self.changes.mark_unchanged();
        has_changed
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Watched({})", *self.changes.borrow())
    }
}
