//! Runs the calls of one tool of a server.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ServiceError,
    model::{CallToolRequestParams, InputRequiredResult, InputResponses, ServerResult},
};
use tokio::time::sleep;
use toolsmith_core::{BoxFuture, Executor, ToolContext, ToolError, Value, describe, json};

use super::{
    asking,
    output::{self, Promise, Read},
    server::Server,
    session::{Session, Unanswered},
    settings::OnChange,
    words,
};

/// How often a server may ask for input in one call.
const MOST_ROUNDS: usize = 10;

/// How many questions it may ask at once.
const MOST_QUESTIONS: usize = 20;

/// How long a server that only wants to be asked again is left alone at first.
const PAUSE: Duration = Duration::from_millis(50);

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
        if self.may_heal(&session, answer.as_ref().err()) {
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

    fn may_heal(&self, session: &Session, failure: Option<&Unanswered>) -> bool {
        match failure {
            Some(Unanswered::Unsent) => true,
            Some(Unanswered::Service(error)) => {
                super::http::is_refused_unread(error) && {
                    session.retire();
                    self.server.renew_credentials();
                    true
                }
            }
            None => false,
        }
    }

    /// Answers what a server wants to know, for the call to be made once more.
    async fn answer(
        &self,
        cx: &ToolContext,
        mut params: CallToolRequestParams,
        asked: InputRequiredResult,
        round: usize,
    ) -> Result<CallToolRequestParams, ToolError> {
        let requests = asked.input_requests.unwrap_or_default();
        if requests.is_empty() {
            sleep(PAUSE * 2_u32.saturating_pow(u32::try_from(round).unwrap_or(u32::MAX))).await;
        }
        if requests.len() > MOST_QUESTIONS {
            let name = &self.server.settings.name;
            let message = format!("The MCP server `{name}` asks too many questions at once.");
            return Err(ToolError::upstream(message));
        }
        let mut answers = InputResponses::new();
        for (key, request) in requests {
            answers.insert(key, asking::fulfil(cx, &self.server.settings, request).await?);
        }
        params.input_responses = Some(answers).filter(|answers| !answers.is_empty());
        params.request_state = asked.request_state;
        Ok(params)
    }

    /// Brings a call to its end when the server asks for something on the way.
    async fn settle(
        &self,
        cx: &ToolContext,
        session: &Session,
        mut params: CallToolRequestParams,
        mut answer: Result<ServerResult, Unanswered>,
    ) -> Result<rmcp::model::CallToolResult, ToolError> {
        let name = &self.server.settings.name;
        for round in 0..MOST_ROUNDS {
            match answer {
                Ok(ServerResult::CallToolResult(result)) => return Ok(result),
                Ok(ServerResult::InputRequiredResult(asked)) => {
                    params = self.answer(cx, params, asked, round).await?;
                    answer = session.call(cx, &params).await;
                }
                Ok(_) => {
                    return Err(ToolError::upstream(format!(
                        "The MCP server `{name}` gave an answer that is not of the protocol."
                    ))
                    .with_details(json!({ "server": name })));
                }
                Err(Unanswered::Service(ServiceError::McpError(error)))
                    if asking::visit_first(cx, name, &error).await =>
                {
                    answer = session.call(cx, &params).await;
                }
                Err(reason) => return Err(words::unanswered(name, session, reason).await),
            }
        }
        Err(ToolError::failed(format!(
            "The MCP server `{name}` asked for input {MOST_ROUNDS} times in one call, and was not \
             satisfied."
        )))
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
