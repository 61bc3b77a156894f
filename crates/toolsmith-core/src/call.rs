//! A call: which tool, with what, by whom.

use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{Asker, CallId, Context, StreamSink};

/// One call of a tool, as a door hands it to the engine.
#[derive(Clone, Debug)]
pub struct Call {
    /// The identifier, when a door had to tell it before the call began; a new one otherwise.
    pub id: Option<CallId>,
    /// The tool as the caller named it: `name`, `name@1.2.0` or `name@^1`.
    pub tool: String,
    /// The input, an object; null is read as an empty one.
    pub input: Value,
    /// Who calls, and within which bounds.
    pub context: Context,
    /// Lets someone other than the awaiting task end the call.
    pub cancel: Option<CancellationToken>,
    /// Follows the call while it runs.
    pub stream: Option<StreamSink>,
    /// Answers what the tool asks while it runs; nobody does when absent.
    pub asker: Option<Arc<dyn Asker>>,
    /// The call whose tool makes this one; it carries this one in its own slot.
    pub parent: Option<Parent>,
}

/// The call above a nested one.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// Its identifier.
    pub call_id: CallId,
    /// How many calls stand above it.
    pub depth: u32,
    /// When it must be over.
    pub deadline: Instant,
}

impl Call {
    /// Makes a call with an empty context.
    pub fn new(tool: impl Into<String>, input: Value) -> Self {
        Self {
            id: None,
            tool: tool.into(),
            input,
            context: Context::default(),
            cancel: None,
            stream: None,
            asker: None,
            parent: None,
        }
    }

    /// Says by which identifier the call is known; nobody else may have it.
    #[must_use]
    pub fn with_id(mut self, id: CallId) -> Self {
        self.id = Some(id);
        self
    }

    /// Says who calls.
    #[must_use]
    pub fn with_context(mut self, context: Context) -> Self {
        self.context = context;
        self
    }

    /// Lets somebody answer what the tool asks.
    #[must_use]
    pub fn with_asker(mut self, asker: Arc<dyn Asker>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Lets a token end the call.
    #[must_use]
    pub fn with_cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = Some(token);
        self
    }
}
