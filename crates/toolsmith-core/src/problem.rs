//! One thing that is wrong with an input.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// A required parameter is not there.
    MissingRequired,
    /// A value has another type than the schema says.
    TypeMismatch,
    /// A value is none of those listed.
    InvalidEnum,
    /// A parameter that the tool does not have.
    ExtraParameter,
    /// A value breaks another rule of the schema.
    ConstraintViolation,
}

/// One problem of a validation, in the JSON form `{kind, parameter, path, message, expected, actual}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The top-level parameter that it concerns; empty when it is the input as a whole.
    pub parameter: String,
    /// Where in the input: a JSON Pointer.
    pub path: String,
    /// A sentence for the model: what is wrong and what is expected.
    pub message: String,
    /// What the schema wants there.
    pub expected: Value,
    /// What was there, shortened.
    pub actual: Value,
}
