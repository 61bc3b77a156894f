//! The MCP door: the tools of the registry for clients of the Model Context Protocol.
//!
//! One message is answered for one client at a time, whatever carried it: [`http`] and [`stdio`]
//! only bring messages and take answers away. Two eras of the protocol stand side by side. Up to
//! 2025-11-25 a client begins a [`session`]; from 2026-07-28 on every request says who sends it.

mod asking;
mod borrowed;
mod completion;
mod following;
mod guest;
pub(crate) mod http;
mod lifecycle;
mod listening;
mod meta;
mod peer;
mod prompts;
mod refusal;
mod resources;
mod revision;
mod rounds;
mod server;
mod session;
mod sessions;
mod stdio;
mod tasks;
mod tools;
mod traced;
mod wire;
mod writing;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolsmith_core::{Map, Value};

pub use self::stdio::speak;
use self::{
    asking::Asking,
    following::Following,
    listening::Listening,
    refusal::Refusal,
    rounds::{Rounds, Subject},
    sessions::Sessions,
    tasks::Tasks,
    tools::Deferred,
    wire::Id,
};
use crate::{Gateway, GatewayConfig};

/// What the door remembers between messages.
#[derive(Debug)]
pub(crate) struct Memory {
    sessions: Sessions,
    rounds: Rounds,
    deferred: Deferred,
    tasks: Tasks,
    /// Answers for clients that cannot be asked anything.
    nobody: Arc<Asking>,
    /// Cancelled when the doors close: streams that would stay open end.
    ended: CancellationToken,
}

impl Memory {
    /// Remembers nothing yet.
    pub(crate) fn new(config: &GatewayConfig) -> Self {
        Self {
            sessions: Sessions::new(config.max_mcp_sessions, config.mcp_session_timeout),
            rounds: Rounds::default(),
            deferred: Deferred::default(),
            tasks: Tasks::default(),
            nobody: Arc::new(Asking::nobody()),
            ended: CancellationToken::new(),
        }
    }

    /// Returns how many sessions are open.
    pub(crate) fn open_sessions(&self) -> usize {
        self.sessions.count()
    }

    /// Forgets what nobody came back to.
    pub(crate) fn sweep(&self) {
        self.sessions.sweep();
        self.rounds.sweep();
        self.tasks.sweep();
    }

    /// Ends everything that waits for clients.
    pub(crate) fn end(&self) {
        self.ended.cancel();
        self.sessions.end_all();
        self.rounds.end_all();
    }
}

/// What a request is answered with.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The whole answer.
    Text(Vec<u8>),
    /// An answer that may have something to say first.
    Following(Box<Following>),
    /// A stream of changes.
    Listening(Box<Listening>),
    /// None: the client took its request back.
    Nothing,
}

impl Gateway {
    /// Goes on with a request that waited for answers.
    fn resume(
        &self,
        state: &str,
        subject: &Subject,
        answers: Map<String, Value>,
        id: Id<'_>,
    ) -> Result<Answer, Refusal> {
        let mut following = self.0.mcp.rounds.resume(state, subject, answers)?;
        following.answering.id = id.as_json().into();
        Ok(Answer::Following(following))
    }
}

/// Takes known secrets out of an answer: values of variables may stand in descriptions.
fn clean(gateway: &Gateway, text: Vec<u8>) -> Vec<u8> {
    let redactor = gateway.0.engine.redactor();
    if redactor.is_empty() {
        return text;
    }
    let is_clean = std::str::from_utf8(&text)
        .is_ok_and(|text| matches!(redactor.text(text), std::borrow::Cow::Borrowed(_)));
    if is_clean {
        return text;
    }
    let mut value: Value = serde_json::from_slice(&text).unwrap_or_default();
    redactor.value(&mut value);
    serde_json::to_vec(&value).unwrap_or_default()
}
