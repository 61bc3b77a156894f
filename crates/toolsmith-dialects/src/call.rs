//! A call that was read from a model's reply.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use toolsmith_core::Text;

/// Whether a call may be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallState {
    /// It is all there.
    Complete,
    /// The text ended, or went on with something else, before the call was over.
    Unfinished,
    /// Its end was found, but its arguments cannot be read even after repair.
    Unreadable,
    /// It stands in reasoning that the prompt opened, so the model only thought of it.
    Thought,
}

/// A call that was read from a model's reply.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParsedCall {
    /// The number of the call in its reply, from zero, counted over all calls as they begin.
    ///
    /// It is that of the call's events. Calls that share a JSON document share their range, so this
    /// is what tells their order.
    pub index: usize,
    /// The identifier that the model or its server gave, where the format has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Text>,
    /// The tool as the model named it; it need not exist.
    pub name: Text,
    /// The arguments, an object; the raw text as a string when they cannot be read.
    pub arguments: Value,
    /// Where the call stands in the whole input, in bytes.
    pub range: Range<usize>,
    /// Whether it may be run.
    pub state: CallState,
}

impl ParsedCall {
    /// Tells whether the call is all there and may be run.
    pub fn is_complete(&self) -> bool {
        self.state == CallState::Complete
    }

    /// Returns the call as the model wrote it, given the whole input.
    pub fn raw<'a>(&self, input: &'a str) -> &'a str {
        input.get(self.range.clone()).unwrap_or_default()
    }
}
