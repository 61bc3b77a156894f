//! Requests that a server answers only when it knows more: it asks, and is asked again.

use std::time::Duration;

use futures_util::future::try_join_all;
use rmcp::{
    ServiceError,
    model::{
        CallToolRequestParams, ClientRequest, CompleteRequest, CompleteRequestParams,
        GetPromptRequest, GetPromptRequestParams, InputRequiredResult, InputResponses,
        ReadResourceRequest, ReadResourceRequestParams, ServerResult,
    },
};
use tokio::time::sleep;
use toolsmith_core::{BoxFuture, ToolContext, ToolError};

use super::{
    asking,
    session::{Session, Unanswered},
    settings::ServerSettings,
    words,
};

/// How often a server may ask for input in one request.
const MOST_ROUNDS: usize = 10;

/// How many questions it may ask at once.
const MOST_QUESTIONS: usize = 20;

/// How long a server that only wants to be asked again is left alone at first.
const PAUSE: Duration = Duration::from_millis(50);

/// What comes back of a request.
pub(super) type Answer = Result<ServerResult, Unanswered>;

/// The parameters of a request that can be made again with answers.
pub(super) trait Repeated: Send + Sync {
    /// Puts in the answers, and what the server knows the request by.
    fn repeat(&mut self, answers: Option<InputResponses>, state: Option<String>);

    /// Makes the request.
    fn send<'a>(&'a self, party: Party<'a>) -> BoxFuture<'a, Answer>;
}

impl Repeated for CallToolRequestParams {
    fn repeat(&mut self, answers: Option<InputResponses>, state: Option<String>) {
        (self.input_responses, self.request_state) = (answers, state);
    }

    fn send<'a>(&'a self, party: Party<'a>) -> BoxFuture<'a, Answer> {
        Box::pin(party.session.call(party.cx, self))
    }
}

impl Repeated for GetPromptRequestParams {
    fn repeat(&mut self, answers: Option<InputResponses>, state: Option<String>) {
        (self.input_responses, self.request_state) = (answers, state);
    }

    fn send<'a>(&'a self, party: Party<'a>) -> BoxFuture<'a, Answer> {
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(self.clone()));
        Box::pin(party.session.ask(party.cx, request))
    }
}

impl Repeated for ReadResourceRequestParams {
    fn repeat(&mut self, answers: Option<InputResponses>, state: Option<String>) {
        (self.input_responses, self.request_state) = (answers, state);
    }

    fn send<'a>(&'a self, party: Party<'a>) -> BoxFuture<'a, Answer> {
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(self.clone()));
        Box::pin(party.session.ask(party.cx, request))
    }
}

/// Completions are never asked back; they are requests like the others.
impl Repeated for CompleteRequestParams {
    fn repeat(&mut self, _answers: Option<InputResponses>, _state: Option<String>) {}

    fn send<'a>(&'a self, party: Party<'a>) -> BoxFuture<'a, Answer> {
        let request = ClientRequest::CompleteRequest(CompleteRequest::new(self.clone()));
        Box::pin(party.session.ask(party.cx, request))
    }
}

/// Who takes part in a request: the caller, and the server by its session.
#[derive(Clone, Copy)]
pub(super) struct Party<'a> {
    pub(super) cx: &'a ToolContext,
    pub(super) settings: &'a ServerSettings,
    pub(super) session: &'a Session,
}

impl Party<'_> {
    /// Brings a request to its end when the server asks for something on the way.
    ///
    /// Returns the library's reason when there is no answer and nothing more to be asked.
    pub(super) async fn settle<P: Repeated>(
        self,
        mut params: P,
        mut answer: Answer,
    ) -> Result<Answer, ToolError> {
        let name = &self.settings.name;
        for round in 0..MOST_ROUNDS {
            match answer {
                Ok(ServerResult::InputRequiredResult(asked)) => {
                    let state = asked.request_state.clone();
                    params.repeat(self.answers(asked, round).await?, state);
                }
                Err(Unanswered::Service(ServiceError::McpError(error))) => {
                    if !asking::visit_first(self.cx, name, &error).await {
                        return Ok(Err(Unanswered::Service(ServiceError::McpError(error))));
                    }
                }
                answer => return Ok(answer),
            }
            answer = params.send(self).await;
        }
        Err(ToolError::failed(format!(
            "The MCP server `{name}` asked for input {MOST_ROUNDS} times in one call, and was not \
             satisfied."
        )))
    }

    /// Answers what a server wants to know; all of it is asked at once.
    async fn answers(
        self,
        asked: InputRequiredResult,
        round: usize,
    ) -> Result<Option<InputResponses>, ToolError> {
        let requests = asked.input_requests.unwrap_or_default();
        if requests.is_empty() {
            sleep(PAUSE * 2_u32.saturating_pow(u32::try_from(round).unwrap_or(u32::MAX))).await;
        }
        if requests.len() > MOST_QUESTIONS {
            let name = &self.settings.name;
            let message = format!("The MCP server `{name}` asks too many questions at once.");
            return Err(ToolError::upstream(message));
        }
        let answers = try_join_all(requests.into_iter().map(|(key, request)| async move {
            let answer = asking::fulfil(self.cx, self.settings, &key, request).await?;
            Ok::<_, ToolError>((key, answer))
        }));
        let answers: InputResponses = answers.await?.into_iter().collect();
        Ok(Some(answers).filter(|answers| !answers.is_empty()))
    }

    /// Says why there is no answer.
    pub(super) async fn refusal(self, reason: Unanswered) -> ToolError {
        words::unanswered(&self.settings.name, self.session, reason).await
    }
}
