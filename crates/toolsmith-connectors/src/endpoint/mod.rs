//! The calling convention of services: params as JSON by HTTP, an answer of JSON or text.
//!
//! GET, HEAD and DELETE carry the input as a query: a list repeats its key, a map is written as
//! JSON. A 2xx answer is the output: JSON as its value, text as text. Other statuses are errors:
//!
//! | status | error | what the caller should do |
//! |---|---|---|
//! | 408, 425, 429, 5xx but 501 | `upstream_error` | try again later |
//! | 401, 403, 405, 407, 501, 3xx | `upstream_error` | nothing: the tool is set up wrongly |
//! | other 4xx | `execution_error` | call with another input; the service says why |
//!
//! The message of the service is taken from `error`, `error.message`, `message`, `detail` or
//! `title` of a JSON body, or from the beginning of a text.

mod answer;
mod convention;
mod line;
mod request;

use toolsmith_core::{Redactor, Secret, ToolError, Value};
use toolsmith_net::{Client, Guard, NetError, Request, Response};

pub(crate) use self::{
    convention::{Convention, Health},
    line::{Door, HttpLine},
};
use crate::life::Failure;

/// Where a service listens, and how it is spoken to.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    /// Who it is, as the beginning of a sentence: ``The process of `x` ``.
    pub(crate) who: String,
    pub(crate) client: Client,
    /// Scheme, host and port.
    pub(crate) base: Secret<String>,
    pub(crate) convention: Convention,
    pub(crate) headers: Vec<(String, Secret<String>)>,
    pub(crate) redactor: Redactor,
}

impl Endpoint {
    /// Sends a call.
    pub(crate) async fn call(&self, input: &Value) -> Result<Value, Failure> {
        let (base, convention) = (self.base.expose(), &self.convention);
        let request = request::of_call(base, convention, input).map_err(Failure::Unreached)?;
        let response = self.send(request).await.map_err(|error| self.failure(error))?;
        answer::read(&self.who, &response, &self.redactor).map_err(Failure::Answered)
    }

    /// Asks whether the service is well; the reason why not is part of a sentence.
    pub(crate) async fn probe(&self, path: &str) -> Result<(), String> {
        let request = Request::get(format!("{}{path}", self.base.expose()));
        match self.send(request).await {
            Ok(response) if response.status.is_success() => Ok(()),
            Ok(response) => Err(format!("its health check `{path}` answered {}", response.status)),
            Err(_) => Err(format!("its health check `{path}` gave no answer")),
        }
    }

    async fn send(&self, mut request: Request) -> Result<Response, NetError> {
        request.guard = Guard::Trusted;
        // A service is asked at its own address only: one without a network could otherwise let us
        // ask whomever it likes.
        request.max_redirects = Some(0);
        for (name, value) in &self.headers {
            request = request.with_secret_header(name, value)?;
        }
        self.client.send(request).await
    }

    /// Says how far a request came that has no answer.
    fn failure(&self, error: NetError) -> Failure {
        let who = &self.who;
        match &error {
            NetError::Connect { .. } | NetError::Timeout { .. } => {
                let message = format!("{who} could not be reached. Try again later.");
                Failure::Unreached(ToolError::upstream(message).with_source(error))
            }
            NetError::Denied(_)
            | NetError::Invalid(_)
            | NetError::Tls { .. }
            | NetError::Setup(_) => Failure::Unreached(error.into_tool_error()),
            NetError::Broken { .. } => {
                let message = format!(
                    "{who} broke the connection before its answer was complete; the call may have \
                     run."
                );
                Failure::Lost(ToolError::upstream(message).with_source(error))
            }
            _ => Failure::Lost(error.into_tool_error()),
        }
    }
}
