//! Runs the calls of one tool of a server.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, InputRequiredResult, ServerResult};
use toolsmith_core::{BoxFuture, Executor, ToolContext, ToolError, Value, describe, json};

use super::{
    output::{self, Promise, Read},
    server::Server,
    session::{Session, Unanswered},
    words,
};

/// How often a server may ask for input in one call.
const MOST_ROUNDS: usize = 5;

/// Runs the calls of one tool.
#[derive(Debug)]
pub(super) struct McpExecutor {
    pub(super) server: Arc<Server>,
    /// The server's own name for the tool.
    pub(super) tool: String,
    pub(super) promise: Promise,
}

impl McpExecutor {
    async fn run(&self, cx: &ToolContext, input: Value) -> Result<Value, ToolError> {
        let Value::Object(arguments) = input else {
            let found = describe(&input);
            return Err(ToolError::validation(format!("expected a map of keys, found {found}")));
        };
        let params = CallToolRequestParams::new(self.tool.clone()).with_arguments(arguments);
        let mut session = self.server.session().await?;
        // What is rare is boxed: it would make every call's future several times as large.
        if session.is_suspect() {
            Box::pin(session.check_pulse()).await;
        }
        if !session.is_open() {
            session = self.server.session().await?;
        }
        let mut answer = session.call(cx, params.clone()).await;
        // A session that turns out to be over is replaced once: the call has not been sent.
        if self.may_heal(&session, answer.as_ref().err()) {
            session = self.server.session().await?;
            answer = session.call(cx, params.clone()).await;
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

    /// Brings a call to its end when the server asks for something on the way.
    async fn settle(
        &self,
        cx: &ToolContext,
        session: &Session,
        mut params: CallToolRequestParams,
        mut answer: Result<ServerResult, Unanswered>,
    ) -> Result<rmcp::model::CallToolResult, ToolError> {
        let name = &self.server.settings.name;
        for _ in 0..MOST_ROUNDS {
            match answer {
                Ok(ServerResult::CallToolResult(result)) => return Ok(result),
                Ok(ServerResult::InputRequiredResult(asked)) => {
                    params = declined(params, asked);
                    answer = session.call(cx, params.clone()).await;
                }
                Ok(_) => {
                    return Err(ToolError::upstream(format!(
                        "The MCP server `{name}` gave an answer that is not of the protocol."
                    ))
                    .with_details(json!({ "server": name })));
                }
                Err(reason) => return Err(words::unanswered(name, session, reason).await),
            }
        }
        Err(ToolError::failed(format!(
            "The MCP server `{name}` asks a person for input, and nobody here can be asked."
        )))
    }
}

/// Declines what a server asks for; it may go on without.
fn declined(params: CallToolRequestParams, asked: InputRequiredResult) -> CallToolRequestParams {
    let requests = asked.input_requests.unwrap_or_default();
    let answers = requests.into_keys().map(|key| (key, json!({ "action": "decline" }))).collect();
    let mut params = params;
    params.input_responses = Some(answers);
    params.request_state = asked.request_state;
    params
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
