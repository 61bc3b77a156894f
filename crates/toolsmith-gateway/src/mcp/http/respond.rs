//! Answers, as responses.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};

use super::{said::Forms, stream};
use crate::mcp::{
    Answer,
    following::Said,
    refusal::Refusal,
    revision::Revision,
    wire::{self, Id, Request},
};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Writes an answer: as JSON while nothing comes before it, as a stream otherwise.
pub(super) async fn respond(
    answer: Result<Answer, Refusal>,
    request: &Request<'_>,
    forms: Forms,
    revision: Revision,
) -> Response {
    let mut following = match answer {
        Ok(Answer::Text(text)) if forms == Forms::StreamOnly => return stream::single(text),
        Ok(Answer::Text(text)) => return whole(StatusCode::OK, text),
        Ok(Answer::Nothing) => return StatusCode::ACCEPTED.into_response(),
        Ok(Answer::Following(following)) => following,
        Ok(Answer::Listening(listening)) => return stream::listen(*listening),
        Err(refusal) => return refused(Some(request.id), &refusal, revision),
    };
    loop {
        match Box::pin(following.next()).await {
            (Said::Last(text), _) if forms == Forms::StreamOnly => return stream::single(text),
            (Said::Last(text), _) => return whole(StatusCode::OK, text),
            (Said::Refused(refusal), _) => return refused(Some(request.id), &refusal, revision),
            (Said::More(_), Some(rest)) if forms == Forms::JsonOnly => following = rest,
            (Said::More(text), Some(rest)) => return stream::of(text, rest, request.id),
            (Said::More(_), None) | (Said::Nothing, _) => {
                return StatusCode::ACCEPTED.into_response();
            }
        }
    }
}

/// Writes that a message is refused.
pub(super) fn refused(id: Option<Id<'_>>, refusal: &Refusal, revision: Revision) -> Response {
    whole(refusal.status(revision), wire::refusal(id, refusal))
}

/// Writes a whole answer.
pub(super) fn whole(status: StatusCode, text: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}
