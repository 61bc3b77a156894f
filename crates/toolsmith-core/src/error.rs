//! The one error that crosses the line of a call.

use std::{borrow::Cow, error::Error, fmt, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Problem;

/// What kind of failure it is; its text is the `error.type` of the public contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// Unknown, removed, or not visible to this caller.
    ToolNotFound,
    /// The input does not fit the schema.
    ValidationError,
    /// The tool is visible, but this input is not allowed.
    PermissionDenied,
    /// A person must agree first.
    ApprovalRequired,
    /// No slot: the queue is full, the strategy rejects, or the engine is shutting down.
    Rejected,
    /// A rate, quota or budget is used up.
    RateLimited,
    /// Nothing implements the tool's handler or kind.
    ExecutorNotFound,
    /// The deadline passed, waiting or running.
    Timeout,
    /// The caller gave up.
    Cancelled,
    /// The tool failed or panicked.
    ExecutionError,
    /// The other end of a REST, MCP, process, container or remote tool failed.
    UpstreamError,
    /// The output does not fit its schema.
    OutputInvalid,
    /// A tool that this one depends on failed.
    DependencyError,
}

impl ErrorKind {
    /// Every kind, in the order of the contract.
    pub const ALL: [Self; 13] = [
        Self::ToolNotFound,
        Self::ValidationError,
        Self::PermissionDenied,
        Self::ApprovalRequired,
        Self::Rejected,
        Self::RateLimited,
        Self::ExecutorNotFound,
        Self::Timeout,
        Self::Cancelled,
        Self::ExecutionError,
        Self::UpstreamError,
        Self::OutputInvalid,
        Self::DependencyError,
    ];

    /// Returns the stable name, as in `error.type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolNotFound => "tool_not_found",
            Self::ValidationError => "validation_error",
            Self::PermissionDenied => "permission_denied",
            Self::ApprovalRequired => "approval_required",
            Self::Rejected => "rejected",
            Self::RateLimited => "rate_limited",
            Self::ExecutorNotFound => "executor_not_found",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::ExecutionError => "execution_error",
            Self::UpstreamError => "upstream_error",
            Self::OutputInvalid => "output_invalid",
            Self::DependencyError => "dependency_error",
        }
    }

    /// Finds the kind with that stable name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// What to do after a failure of this kind when nobody said otherwise.
    fn usual_advice(self) -> Advice {
        match self {
            Self::ValidationError => Advice::Differently,
            Self::Rejected | Self::RateLimited | Self::Timeout | Self::UpstreamError => {
                Advice::Later
            }
            _ => Advice::Final,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the caller should do next; the JSON field `retryable` is true for all but `Final`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// This is final: calling again changes nothing.
    Final,
    /// Call again with another input; the message says how.
    Differently,
    /// The same call may succeed later: the engine itself may retry it.
    Later,
}

/// Why a call failed: a kind for programs, a message for the model, a source for the log.
///
/// The message says what is wrong and what to do next, and never contains the source.
pub struct ToolError(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    details: Value,
    advice: Advice,
    retry_after: Option<Duration>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// Makes an error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            details: Value::Null,
            advice: kind.usual_advice(),
            retry_after: None,
            source: None,
        }))
    }

    /// The tool failed for good; calling it again changes nothing.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ExecutionError, message)
    }

    /// The tool failed, and the message says what to change before trying again.
    pub fn try_differently(message: impl Into<String>) -> Self {
        Self::failed(message).with_advice(Advice::Differently)
    }

    /// The other end failed; the same call may succeed later.
    pub fn upstream(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::UpstreamError, message)
    }

    /// The input is visible but not allowed.
    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::PermissionDenied, message)
    }

    /// The engine is ending and takes nothing new; another one may.
    pub fn closing() -> Self {
        let message =
            "The server ends, and did so before the call ran; make it again when it is back.";
        Self::new(ErrorKind::Rejected, message)
            .with_details(serde_json::json!({ "shutting_down": true }))
    }

    /// Tells whether the engine is ending, so that another one has to be asked.
    pub fn is_closing(&self) -> bool {
        self.0.kind == ErrorKind::Rejected && self.0.details["shutting_down"] == true
    }

    /// Something does not have the form that it should have.
    pub fn validation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ValidationError, message)
    }

    /// The input does not fit the schema, for these reasons.
    pub fn invalid_input(problems: &[Problem]) -> Self {
        let mut message = String::from("The input does not fit the tool's schema.");
        for problem in problems.iter().take(5) {
            message.push(' ');
            message.push_str(&problem.message);
        }
        if problems.len() > 5 {
            let rest = problems.len() - 5;
            message = format!("{message} And {rest} more; see details.");
        }
        let details = serde_json::to_value(problems).unwrap_or_default();
        Self::validation(message).with_details(details)
    }

    /// Adds what a program needs to act on the failure.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.0.details = details;
        self
    }

    /// Says what the caller should do next.
    #[must_use]
    pub fn with_advice(mut self, advice: Advice) -> Self {
        self.0.advice = advice;
        self
    }

    /// Says how long to wait before the same call can succeed.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Keeps the cause for the log.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Returns another message for the same failure.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the message for the model and the user.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the details for programs; null when there are none.
    pub fn details(&self) -> &Value {
        &self.0.details
    }

    /// Returns what the caller should do next.
    pub fn advice(&self) -> Advice {
        self.0.advice
    }

    /// Returns how long to wait before trying the same again, when known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Tells whether trying again can help.
    pub fn is_retryable(&self) -> bool {
        self.0.advice != Advice::Final
    }
}

/// A copy for a second listener (an event, a follower of the same call); the source stays behind.
impl Clone for ToolError {
    fn clone(&self) -> Self {
        Self(Box::new(Inner {
            kind: self.0.kind,
            message: self.0.message.clone(),
            details: self.0.details.clone(),
            advice: self.0.advice,
            retry_after: self.0.retry_after,
            source: None,
        }))
    }
}

impl PartialEq for ToolError {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind == other.0.kind
            && self.0.message == other.0.message
            && self.0.details == other.0.details
            && self.0.advice == other.0.advice
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// The JSON form `{type, message, details, retryable}`.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Wire<'a> {
    r#type: ErrorKind,
    message: Cow<'a, str>,
    details: Cow<'a, Value>,
    retryable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after: Option<f64>,
}

/// The schema of the JSON form.
impl JsonSchema for ToolError {
    fn schema_name() -> Cow<'static, str> {
        "ToolError".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Wire::json_schema(generator)
    }
}

impl Serialize for ToolError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            r#type: self.0.kind,
            message: self.0.message.as_str().into(),
            details: Cow::Borrowed(&self.0.details),
            retryable: self.is_retryable(),
            retry_after: self.0.retry_after.map(|wait| wait.as_secs_f64()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolError {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let advice = match wire.r#type.usual_advice() {
            usual @ (Advice::Differently | Advice::Later) if wire.retryable => usual,
            _ if wire.retryable => Advice::Differently,
            _ => Advice::Final,
        };
        let mut error = Self::new(wire.r#type, wire.message)
            .with_details(wire.details.into_owned())
            .with_advice(advice);
        error.0.retry_after =
            wire.retry_after.and_then(|wait| Duration::try_from_secs_f64(wait).ok());
        Ok(error)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_form_has_exactly_the_fields_of_the_contract() {
        let error = ToolError::upstream("The weather service did not answer; try again later.");
        assert_eq!(
            serde_json::to_value(&error).unwrap(),
            json!({
                "type": "upstream_error",
                "message": "The weather service did not answer; try again later.",
                "details": null,
                "retryable": true
            })
        );
    }

    #[test]
    fn every_kind_survives_json() {
        for kind in ErrorKind::ALL {
            let error = ToolError::new(kind, "x").with_details(json!({"k": 1}));
            let text = serde_json::to_string(&error).unwrap();
            assert_eq!(serde_json::from_str::<ToolError>(&text).unwrap(), error);
            assert_eq!(ErrorKind::from_name(kind.as_str()), Some(kind));
        }
    }

    #[test]
    fn the_source_is_never_in_the_message() {
        let error = ToolError::failed("It failed.").with_source("password=hunter2");
        assert!(!serde_json::to_string(&error).unwrap().contains("hunter2"));
        assert!(!error.to_string().contains("hunter2"));
        assert!(error.source().unwrap().to_string().contains("hunter2"));
    }
}
