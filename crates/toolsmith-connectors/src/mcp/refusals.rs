//! Answers of HTTP that are no success.

use std::borrow::Cow;

use http::{
    StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use rmcp::{
    model::{JsonRpcError, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    },
};
use toolsmith_net::Answer;

use super::wire::{HttpError, JSON, header, is_of, read};

/// How much of a refusal is read, in bytes.
const LONGEST_REFUSAL: usize = 64 * 1024;

/// What a server answers to a message that it does not take.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    wait: Option<String>,
    /// What it says in the words of the protocol.
    pub(super) told: Option<JsonRpcError>,
}

impl Refusal {
    /// Reads a refusal; one that asks for authorization, or for patience, fails at once.
    pub(super) async fn read(answer: Answer) -> Result<Self, HttpError> {
        let (status, challenge) = (answer.status(), header(&answer, &WWW_AUTHENTICATE));
        match (status, challenge) {
            (StatusCode::UNAUTHORIZED, challenge) => {
                let error = AuthRequiredError::new(challenge.unwrap_or_default());
                return Err(StreamableHttpError::AuthRequired(error));
            }
            (StatusCode::FORBIDDEN, Some(challenge)) => {
                let error = InsufficientScopeError::new(challenge, None);
                return Err(StreamableHttpError::InsufficientScope(error));
            }
            _ => {}
        }
        let wait = header(&answer, &RETRY_AFTER);
        let is_json =
            header(&answer, &CONTENT_TYPE).is_some_and(|kind| is_of(kind.as_bytes(), JSON));
        let mut refusal = Self { status, wait, told: None };
        if !refusal.is_ours() && (!is_json || status == StatusCode::TOO_MANY_REQUESTS) {
            return Err(refusal.into_error());
        }
        let body = read(answer, LONGEST_REFUSAL).await.unwrap_or_default();
        if let Ok(ServerJsonRpcMessage::Error(error)) = serde_json::from_slice(&body)
            && status != StatusCode::FORBIDDEN
        {
            refusal.told = Some(error);
        }
        Ok(refusal)
    }

    /// Says in words why the new greeting was refused; nothing when that is not the reason.
    pub(super) fn why_unknown(&self) -> Option<String> {
        let may_be = self.is_ours() && self.status != StatusCode::FORBIDDEN;
        may_be.then(|| format!("refused with HTTP status {}", self.status))
    }

    /// Returns what is wrong when nothing was said in the words of the protocol.
    pub(super) fn into_error(self) -> HttpError {
        let status = self.status.as_u16();
        if self.is_ours() {
            return StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!(
                "HTTP {status}"
            )));
        }
        HttpStatusError::new(status, self.wait).into()
    }

    /// Tells whether the fault lies with what was sent.
    fn is_ours(&self) -> bool {
        self.status.is_client_error() && self.status != StatusCode::TOO_MANY_REQUESTS
    }
}
