//! What is answered: an outcome, a document, or `{"error": {type, message}}`.

use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CONTENT_TYPE, RETRY_AFTER},
    },
    response::{IntoResponse, Response},
};
use serde::Serialize;
use toolsmith_core::Outcome;

use super::status::status_of;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A JSON document.
#[derive(Debug)]
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        document(StatusCode::OK, &self.0)
    }
}

fn document(status: StatusCode, content: &impl Serialize) -> Response {
    match serde_json::to_vec(content) {
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
        let mut response = document(error.map_or(StatusCode::OK, status_of), &self.0);
        if let Some(wait) = error.and_then(toolsmith_core::ToolError::retry_after) {
            // The header knows whole seconds; a wait that is cut short is refused again.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Why a request is not even a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    status: StatusCode,
    name: &'static str,
    message: String,
}

impl Failure {
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, name: "bad_request", message: message.into() }
    }

    pub(super) fn too_large(most: usize) -> Self {
        let message = format!("The body is larger than {most} bytes.");
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, name: "too_large", message }
    }

    pub(super) fn too_slow() -> Self {
        let message = "The body did not arrive in time.".to_owned();
        Self { status: StatusCode::REQUEST_TIMEOUT, name: "bad_request", message }
    }

    pub(super) fn wrong_type() -> Self {
        let message = "Send JSON, with the header `Content-Type: application/json`.".to_owned();
        Self { status: StatusCode::UNSUPPORTED_MEDIA_TYPE, name: "bad_request", message }
    }

    pub(super) fn no_such_place() -> Self {
        let message = "There is nothing at this address.".to_owned();
        Self { status: StatusCode::NOT_FOUND, name: "bad_request", message }
    }

    pub(super) fn wrong_method() -> Self {
        let message = "This address does not take that method.".to_owned();
        Self { status: StatusCode::METHOD_NOT_ALLOWED, name: "bad_request", message }
    }
}

#[derive(Serialize)]
struct Wire<'a> {
    error: Reason<'a>,
}

#[derive(Serialize)]
struct Reason<'a> {
    r#type: &'a str,
    message: &'a str,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let error = Reason { r#type: self.name, message: &self.message };
        document(self.status, &Wire { error })
    }
}
