//! Resources and prompts that are offered besides tools.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::{Asker, BoxFuture, ToolError};

/// What somebody may be asked while a resource is read or a prompt is made.
pub type MaybeAsker = Option<Arc<dyn Asker>>;

/// What a library answers; nothing when it has no such thing.
pub type Found = Option<Result<Value, ToolError>>;

/// Resources and prompts besides tools, in the words of the MCP protocol.
///
/// Items are what its lists hold, and answers are the results of its methods.
pub trait Library: Send + Sync + fmt::Debug {
    /// Lists the resources.
    fn resources(&self) -> BoxFuture<'_, Vec<Value>>;

    /// Lists the templates of addresses of resources.
    fn templates(&self) -> BoxFuture<'_, Vec<Value>>;

    /// Lists the prompts.
    fn prompts(&self) -> BoxFuture<'_, Vec<Value>>;

    /// Reads the resource at an address: `{contents}`.
    fn read<'a>(&'a self, uri: &'a str, asker: MaybeAsker) -> BoxFuture<'a, Found>;

    /// Makes a prompt: `{messages, description?}`.
    fn prompt<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        asker: MaybeAsker,
    ) -> BoxFuture<'a, Found>;

    /// Completes an argument; the request is the `params` of the method, the answer `{completion}`.
    fn complete<'a>(&'a self, request: &'a Value) -> BoxFuture<'a, Found>;

    /// Lets somebody wait for changes of the lists.
    fn changes(&self) -> watch::Receiver<Editions>;
}

/// How often the lists of a library have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    /// The list of resources.
    pub resources: u64,
    /// The list of prompts.
    pub prompts: u64,
}
