//! What is answered: an outcome, a document, or `{"error": {type, message}}`.

use std::borrow::Cow;

use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use toolsmith_core::{ErrorKind, Outcome, ToolError};
use toolsmith_store::StoreError;

use super::status::status_of;
use crate::watched::CALL_ID;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A JSON document.
#[derive(Debug)]
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        document(StatusCode::OK, &self.0)
    }
}

/// A JSON document about something that goes on.
#[derive(Debug)]
pub(super) struct Accepted<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        document(StatusCode::ACCEPTED, &self.0)
    }
}

/// A JSON document about something that was made.
#[derive(Debug)]
pub(super) struct Created<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        document(StatusCode::CREATED, &self.0)
    }
}

fn document(status: StatusCode, content: &impl Serialize) -> Response {
    written(status, serde_json::to_vec(content))
}

fn written(status: StatusCode, text: serde_json::Result<Vec<u8>>) -> Response {
    match text {
        Ok(text) => {
            let mut response = Response::new(Body::from(text));
            *response.status_mut() = status;
            response.headers_mut().insert(CONTENT_TYPE, JSON);
            response
        }
        Err(error) => {
            tracing::error!(%error, "an answer cannot be written as JSON");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// What came of a call.
#[derive(Debug)]
pub(super) struct Answer(pub(super) Outcome);

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let error = self.0.error();
        let status = error.map_or(StatusCode::OK, status_of);
        let mut response = written(status, self.0.to_json());
        if let Ok(id) = HeaderValue::from_bytes(&self.0.call_id.to_text()) {
            response.headers_mut().insert(CALL_ID, id);
        }
        if let Some(wait) = error.and_then(ToolError::retry_after) {
            // The header knows whole seconds; a wait that is cut short is refused again.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        if let Some(error) = error {
            response.extensions_mut().insert(Why(error.kind().as_str().into()));
        }
        response
    }
}

/// Why a request is not even a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    status: StatusCode,
    name: &'static str,
    message: Cow<'static, str>,
}

impl Failure {
    const fn new(status: StatusCode, name: &'static str, message: &'static str) -> Self {
        Self { status, name, message: Cow::Borrowed(message) }
    }

    pub(crate) fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), ..Self::new(StatusCode::BAD_REQUEST, "bad_request", "") }
    }

    /// Refuses a cursor that no page has given; `key` is where pages give theirs.
    pub(crate) fn wrong_cursor(key: &str) -> Self {
        let message =
            format!("The `cursor` is none of this list: send the `{key}` of the page before.");
        Self::bad_request(message)
    }

    /// Refuses a cursor with a search: what fits best comes first, and there is no second page.
    pub(crate) fn no_pages_of_hits() -> Self {
        Self::bad_request("A search has no pages: send `limit` with `q`, and no `cursor`.")
    }

    pub(crate) fn too_large(most: usize) -> Self {
        let message = format!("The body is larger than {most} bytes.").into();
        Self { message, ..Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "") }
    }

    pub(crate) fn too_slow() -> Self {
        let message = "The body did not arrive in time.";
        Self::new(StatusCode::REQUEST_TIMEOUT, "bad_request", message)
    }

    pub(crate) fn head_too_slow() -> Self {
        let message = "The head of the request did not arrive in time.";
        Self::new(StatusCode::REQUEST_TIMEOUT, "bad_request", message)
    }

    pub(crate) fn head_too_large() -> Self {
        let message = "The head of the request is too large, or has too many headers.";
        Self::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", message)
    }

    pub(crate) fn unreadable_head() -> Self {
        let message = "The head of the request cannot be read: its method, address, version or one \
                       of its headers is not as HTTP/1.1 writes them.";
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn wrong_type() -> Self {
        let message = "Send JSON, with the header `Content-Type: application/json`.";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", message)
    }

    pub(crate) fn unreadable_metrics() -> Self {
        let message = "What is measured cannot be read; the log says why.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "unavailable", message)
    }

    pub(crate) fn wrong_coding() -> Self {
        let message = "Send the body as it is, or packed by gzip with `Content-Encoding: gzip`.";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "bad_request", message)
    }

    pub(crate) fn no_such_place() -> Self {
        let message = "There is nothing at this address.";
        Self::new(StatusCode::NOT_FOUND, "bad_request", message)
    }

    pub(crate) fn not_found(message: &'static str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn too_many() -> Self {
        let message = "Too many calls are under way that nobody waits for; wait for some of them.";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rejected", message)
    }

    pub(crate) fn unchangeable() -> Self {
        let message = "The tools of this server cannot be changed from here.";
        Self::new(StatusCode::NOT_IMPLEMENTED, "unavailable", message)
    }

    pub(crate) fn no_records() -> Self {
        let message = "This server keeps no records; its log says why.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }

    pub(crate) fn wrong_method() -> Self {
        let message = "This address does not take that method.";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "bad_request", message)
    }

    pub(crate) fn unauthenticated(message: &'static str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", message)
    }

    pub(crate) fn forbidden(message: &'static str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "permission_denied", message)
    }

    pub(crate) fn too_many_attempts() -> Self {
        let message = "Too many wrong keys came from this address; wait before you try another.";
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", message)
    }

    pub(crate) fn keys_unavailable() -> Self {
        let message = "The token cannot be checked, for the keys of its issuer cannot be fetched \
                       at this moment; try again later.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn is_unauthenticated(&self) -> bool {
        self.status == StatusCode::UNAUTHORIZED
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns what is answered, as text.
    pub(crate) fn document(&self) -> Vec<u8> {
        let error = Reason { r#type: self.name, message: &self.message };
        serde_json::to_vec(&Wire { error }).unwrap_or_default()
    }
}

/// Why a request was refused, left with its answer for the log.
#[derive(Clone, Debug)]
pub(crate) struct Why(pub(crate) Cow<'static, str>);

/// What the engine refuses outside a call.
impl From<&ToolError> for Failure {
    fn from(error: &ToolError) -> Self {
        let message = error.message().to_owned().into();
        Self { status: status_of(error), name: error.kind().as_str(), message }
    }
}

/// What the store cannot answer; why is for the log.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the records cannot be read");
        let message = "The records cannot be read at this moment; try again later.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    }
}

/// What is answered to a request that is not even a call.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct Wire<'a> {
    error: Reason<'a>,
}

/// What is wrong, for programs and for people.
#[derive(Debug, Serialize, JsonSchema)]
struct Reason<'a> {
    #[schemars(schema_with = "names")]
    r#type: &'a str,
    message: &'a str,
}

/// The names of what can be wrong with a request, besides those of failed calls.
const NAMES: [&str; 5] =
    ["bad_request", "too_large", "not_found", "unavailable", "unauthenticated"];

fn names(_: &mut SchemaGenerator) -> Schema {
    let names = ErrorKind::ALL.map(ErrorKind::as_str).into_iter().chain(NAMES);
    json_schema!({ "type": "string", "enum": names.collect::<Vec<_>>() })
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.document()));
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        if self.is_unauthenticated() {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(Why(self.message));
        response
    }
}
