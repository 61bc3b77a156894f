//! Runs the calls of one tool of a server.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, CallToolResult, ServerResult};
use toolsmith_core::{BoxFuture, Executor, ToolContext, ToolError, Value, describe};

use super::{
    output::{self, Promise, Read},
    rounds::Party,
    server::Server,
    session::{Session, Unanswered},
    settings::OnChange,
    words,
};

/// Runs the calls of one tool.
#[derive(Debug)]
pub(super) struct McpExecutor {
    pub(super) server: Arc<Server>,
    /// The server's own name for the tool.
    pub(super) tool: String,
    pub(super) promise: Promise,
    /// Whether a call waits for a person when the server has changed the tool.
    pub(super) on_change: OnChange,
}

impl McpExecutor {
    async fn run(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        let Value::Object(arguments) = input else {
            let found = describe(&input);
            return Err(ToolError::validation(format!("expected a map of keys, found {found}")));
        };
        let params = CallToolRequestParams::new(self.tool.clone()).with_arguments(arguments);
        let mut session = self.session().await?;
        // What is rare is boxed: it would make every call's future several times as large.
        if session.is_suspect() {
            Box::pin(session.check_pulse()).await;
        }
        if !session.is_open() {
            session = self.session().await?;
        }
        let mut answer = session.call(cx, &params).await;
        // A session that turns out to be over is replaced once: the call has not been sent.
        if self.server.may_heal(&session, answer.as_ref().err()) {
            session = self.session().await?;
            answer = session.call(cx, &params).await;
        }
        let result = match answer {
            Ok(ServerResult::CallToolResult(result)) => result,
            answer => Box::pin(self.settle(cx, &session, params, answer)).await?,
        };
        self.server.note_success();
        let Read { output, aside } = output::read(result, self.promise)?;
        for block in aside {
            Box::pin(cx.chunk(block)).await;
        }
        Ok(output)
    }

    /// Opens or finds the session; one that shows a change of the tool is none for this call.
    async fn session(&self) -> Result<Arc<Session>, ToolError> {
        let session = self.server.session().await?;
        match self.on_change {
            OnChange::Accept => Ok(session),
            // The list was read when the session was opened, so a change is known by then.
            OnChange::Approve => self.server.check_accepted(&self.tool).map(|()| session),
        }
    }

    /// Brings a call to its end when the server asks for something on the way.
    async fn settle(
        &self,
        cx: &ToolContext,
        session: &Session,
        params: CallToolRequestParams,
        answer: Result<ServerResult, Unanswered>,
    ) -> Result<CallToolResult, ToolError> {
        let settings = &self.server.settings;
        let party = Party { cx, settings, session };
        match party.settle(params, answer).await? {
            Ok(ServerResult::CallToolResult(result)) => Ok(result),
            Ok(_) => Err(words::not_of_the_protocol(&settings.name)),
            Err(reason) => Err(party.refusal(reason).await),
        }
    }
}

impl Executor for McpExecutor {
    fn execute<'a>(
        &'a self,
        cx: &'a ToolContext,
        input: Value,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(self.run(cx, input))
    }

    fn upstream(&self) -> Option<&str> {
        Some(&self.server.upstream)
    }
}
