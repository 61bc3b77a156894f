//! Exit codes, in one place.

use std::fmt;

use serde_json::{Value, json};
use toolsmith_core::{ErrorKind, Outcome, ToolError};

use crate::config::ConfigError;

/// Everything went well.
pub const SUCCESS: u8 = 0;

/// Something failed that has no code of its own.
pub const FAILURE: u8 = 1;

/// The arguments or the configuration are wrong.
pub const USAGE: u8 = 2;

/// The input of a call does not fit its tool.
pub const INVALID_INPUT: u8 = 4;

/// A call was cancelled, by Ctrl-C or otherwise.
pub const CANCELLED: u8 = 130;

/// The arguments are wrong; the text says how, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError(String);

impl UsageError {
    /// Makes one from a sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Returns the exit code of a call that failed so.
pub fn code_of_kind(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::ToolNotFound => 3,
        ErrorKind::ValidationError => INVALID_INPUT,
        ErrorKind::PermissionDenied | ErrorKind::ApprovalRequired => 5,
        ErrorKind::Timeout => 6,
        ErrorKind::Rejected | ErrorKind::RateLimited => 7,
        ErrorKind::Cancelled => CANCELLED,
        _ => FAILURE,
    }
}

/// Returns the exit code of a call that ended so.
pub fn code_of_outcome(outcome: &Outcome) -> u8 {
    outcome.error().map_or(SUCCESS, |error| code_of_kind(error.kind()))
}

/// Returns the exit code of a command that ended with an error.
pub fn code_of(error: &anyhow::Error) -> u8 {
    if let Some(error) = error.downcast_ref::<ToolError>() {
        return code_of_kind(error.kind());
    }
    if error.is::<UsageError>() || error.is::<ConfigError>() { USAGE } else { FAILURE }
}

/// Returns the JSON form of an error that is not the outcome of a call.
pub fn to_json(error: &anyhow::Error) -> Value {
    let word = match (error.downcast_ref::<ToolError>(), code_of(error)) {
        (Some(error), _) => error.kind().as_str(),
        (None, USAGE) => "bad_request",
        (None, _) => ErrorKind::ExecutionError.as_str(),
    };
    json!({ "error": { "type": word, "message": format!("{error:#}") } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_the_code_of_the_contract() {
        let codes: Vec<(&str, u8)> =
            ErrorKind::ALL.into_iter().map(|kind| (kind.as_str(), code_of_kind(kind))).collect();
        assert_eq!(
            codes,
            [
                ("tool_not_found", 3),
                ("validation_error", 4),
                ("permission_denied", 5),
                ("approval_required", 5),
                ("rejected", 7),
                ("rate_limited", 7),
                ("executor_not_found", 1),
                ("timeout", 6),
                ("cancelled", 130),
                ("execution_error", 1),
                ("upstream_error", 1),
                ("output_invalid", 1),
                ("dependency_error", 1),
            ]
        );
    }

    #[test]
    fn errors_that_are_no_outcomes_have_a_type_and_a_message() {
        let usage = UsageError::new("write key=value").into();
        assert_eq!(code_of(&usage), 2);
        assert_eq!(
            to_json(&usage),
            json!({"error": {"type": "bad_request", "message": "write key=value"}})
        );
        let tool = ToolError::new(ErrorKind::Timeout, "too slow").into();
        assert_eq!((code_of(&tool), &to_json(&tool)["error"]["type"]), (6, &json!("timeout")));
        let other = anyhow::anyhow!("disk full").context("cannot write x");
        assert_eq!(code_of(&other), 1);
        assert_eq!(
            to_json(&other),
            json!({"error": {"type": "execution_error", "message": "cannot write x: disk full"}})
        );
    }
}
