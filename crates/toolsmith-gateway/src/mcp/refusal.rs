//! Why a message is refused, and by which code of the protocol.

use std::borrow::Cow;

use axum::http::StatusCode;
use serde::Serialize;
use toolsmith_core::{Value, json};

use super::revision::Revision;

/// The codes of JSON-RPC, and those that MCP adds.
const UNREADABLE: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const UNKNOWN_METHOD: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL: i32 = -32603;
const NO_SESSION: i32 = -32001;
const NO_RESOURCE: i32 = -32002;
const HEADER_MISMATCH: i32 = -32020;
const MISSING_ABILITY: i32 = -32021;
const UNKNOWN_REVISION: i32 = -32022;

/// Why a message is refused: what its sender is told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Refusal {
    code: i32,
    message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    #[serde(skip)]
    status: StatusCode,
}

impl Refusal {
    fn new(code: i32, status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None, status }
    }

    fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The text is not JSON.
    pub(crate) fn unreadable(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(UNREADABLE, StatusCode::BAD_REQUEST, why)
    }

    /// The message is not one of the protocol.
    pub(crate) fn invalid_request(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INVALID_REQUEST, StatusCode::BAD_REQUEST, why)
    }

    /// There is no such method in the revision that is spoken.
    pub(crate) fn unknown_method(method: &str) -> Self {
        let method: String = method.chars().take(80).collect();
        let why = format!("There is no method `{method}` here.");
        Self::new(UNKNOWN_METHOD, StatusCode::NOT_FOUND, why)
    }

    /// A call was to be a task and cannot be, or must be one and was not to be.
    pub(crate) fn no_task(why: &'static str) -> Self {
        Self::new(UNKNOWN_METHOD, StatusCode::OK, why)
    }

    /// The parameters of a method do not fit.
    pub(crate) fn invalid_params(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INVALID_PARAMS, StatusCode::OK, why)
    }

    /// The parameters lack what every request must have.
    pub(crate) fn invalid_meta(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INVALID_PARAMS, StatusCode::BAD_REQUEST, why)
    }

    /// Something of ours failed.
    pub(crate) fn internal(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(INTERNAL, StatusCode::OK, why)
    }

    /// There is no such resource, or this caller may not see it.
    pub(crate) fn no_resource(uri: &str, revision: Revision) -> Self {
        let code = if revision.is_stateless() { INVALID_PARAMS } else { NO_RESOURCE };
        let uri: String = uri.chars().take(2_000).collect();
        Self::new(code, StatusCode::OK, "Resource not found").with_data(json!({ "uri": uri }))
    }

    /// There is no such prompt, or this caller may not see it.
    pub(crate) fn no_prompt(name: &str) -> Self {
        let name: String = name.chars().take(80).collect();
        Self::invalid_params(format!("There is no prompt `{name}`."))
    }

    /// There is no such group, or nothing in it that this caller may see.
    pub(crate) fn no_group() -> Self {
        Self::new(INVALID_REQUEST, StatusCode::NOT_FOUND, "There is no such group of tools.")
    }

    /// The session has ended, or never was.
    pub(crate) fn no_session() -> Self {
        let why = "This session is over; begin another one with `initialize`.";
        Self::new(NO_SESSION, StatusCode::NOT_FOUND, why)
    }

    /// A header says something else than the message.
    pub(crate) fn header_mismatch(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(HEADER_MISMATCH, StatusCode::BAD_REQUEST, why)
    }

    /// The client would have to be able to do something that it did not declare.
    pub(crate) fn missing_ability(required: &Value) -> Self {
        let why = "The client does not declare a capability that this needs.";
        let data = json!({ "requiredCapabilities": required });
        Self::new(MISSING_ABILITY, StatusCode::BAD_REQUEST, why).with_data(data)
    }

    /// The revision is not one that is spoken here.
    pub(crate) fn unknown_revision(requested: &str) -> Self {
        let requested: String = requested.chars().take(80).collect();
        let supported = Revision::ALL.map(Revision::as_str);
        let data = json!({ "supported": supported, "requested": requested });
        let why = "Unsupported protocol version";
        Self::new(UNKNOWN_REVISION, StatusCode::BAD_REQUEST, why).with_data(data)
    }

    /// The client takes no form that an answer could have.
    pub(crate) fn not_acceptable() -> Self {
        let why = "Accept `application/json` and `text/event-stream`.";
        Self::new(INVALID_REQUEST, StatusCode::NOT_ACCEPTABLE, why)
    }

    /// The token of the client is for less than this.
    pub(crate) fn lacks_scope() -> Self {
        let why = "This token allows to look at tools and to call none; get one that does.";
        Self::new(INVALID_REQUEST, StatusCode::FORBIDDEN, why)
    }

    /// No more sessions can be held.
    pub(crate) fn full() -> Self {
        let why = "Too many sessions are open; try again later.";
        Self::new(INTERNAL, StatusCode::SERVICE_UNAVAILABLE, why)
    }

    /// Returns the code.
    pub(crate) fn code(&self) -> i32 {
        self.code
    }

    /// Returns the HTTP status; revisions with sessions answer a request with 200 in any case.
    pub(crate) fn status(&self, revision: Revision) -> StatusCode {
        let is_of_the_method = matches!(self.code, UNKNOWN_METHOD | INVALID_PARAMS);
        if is_of_the_method && !revision.is_stateless() { StatusCode::OK } else { self.status }
    }
}
