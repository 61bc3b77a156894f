//! What a service is made of: something that starts it, reaches it, and ends it.

use std::{fmt, sync::Arc};

use toolsmith_core::{BoxFuture, ToolError, Value};

use super::log::Log;

/// Starts a service: a process, a container.
pub(crate) trait Backend: Send + Sync + fmt::Debug {
    /// Returns what it starts, in a word.
    fn noun(&self) -> &'static str;

    /// Starts it and waits until it is well; what it writes goes to the log.
    ///
    /// Dropping the future ends what was started.
    fn start<'a>(&'a self, log: &'a Arc<Log>) -> BoxFuture<'a, Result<Started, ToolError>>;
}

/// A service that was started and is well.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) line: Arc<dyn Line>,
    pub(crate) life: Box<dyn Life>,
    pub(crate) pid: Option<u32>,
    pub(crate) port: Option<u16>,
}

/// How calls reach a service.
pub(crate) trait Line: Send + Sync + fmt::Debug {
    /// Sends a call and waits for its answer.
    fn call(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>>;

    /// Asks whether it is well; the reason why not is part of a sentence.
    fn probe(&self) -> BoxFuture<'_, Result<(), String>>;
}

/// The life of a service; dropping it ends the service.
pub(crate) trait Life: Send + fmt::Debug {
    /// Waits until it has ended by itself.
    fn ended(&mut self) -> BoxFuture<'_, End>;

    /// Asks it to end, waits a little, and ends it.
    fn stop(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// How a service ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// The end of a sentence: `ended with exit code 3`.
    pub(crate) how: String,
    pub(crate) exit_code: Option<i64>,
    pub(crate) signal: Option<String>,
}

/// Why a call has no result, and how far it came.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The service has surely not seen it: another one may be asked.
    Unreached(ToolError),
    /// The service may have run it, but its answer did not come.
    Lost(ToolError),
    /// The service answered that it failed.
    Answered(ToolError),
}

impl Failure {
    pub(crate) fn into_error(self) -> ToolError {
        match self {
            Self::Unreached(error) | Self::Lost(error) | Self::Answered(error) => error,
        }
    }
}

/// Something that a tool can be run by: a service, or an address elsewhere.
pub(crate) trait Source: Send + Sync + fmt::Debug {
    /// Gets ready for calls: starts what has to be started, and waits until it answers.
    ///
    /// Whoever stops waiting ends no start.
    fn come_up(&self) -> BoxFuture<'_, Result<(), ToolError>>;

    /// Runs a call.
    fn attempt(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>>;
}
