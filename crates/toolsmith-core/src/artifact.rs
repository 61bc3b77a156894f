//! Outputs that are too large for a model, kept whole.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BoxFuture, CallId, Text, Timestamp, ToolError};

/// What is known of a kept output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// The identifier: that of the call.
    pub id: CallId,
    /// The tool that made it.
    pub tool_name: Text,
    /// `text/plain` when the output was a string, `application/json` otherwise.
    pub media_type: Text,
    /// How many bytes it has.
    pub bytes: u64,
    /// Who called.
    pub caller_id: Option<Text>,
    /// The conversation that the call belonged to.
    pub conversation_id: Option<Text>,
    /// The person behind the caller.
    pub user_id: Option<Text>,
    /// When the call arrived.
    pub created_at: Timestamp,
}

/// A piece of a kept output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactPage {
    /// What is known of the whole.
    pub artifact: Artifact,
    /// Where the piece begins, in bytes.
    pub offset: u64,
    /// The piece, cut at a character boundary.
    pub content: String,
    /// Where the next piece begins, when there is one.
    pub next_offset: Option<u64>,
}

/// Keeps whole outputs and gives them out in pages.
pub trait Artifacts: Send + Sync + fmt::Debug {
    /// Keeps an output.
    fn keep<'a>(
        &'a self,
        artifact: &'a Artifact,
        content: &'a str,
    ) -> BoxFuture<'a, Result<(), ToolError>>;

    /// Reads a piece of at most `limit` bytes.
    fn read(
        &self,
        id: CallId,
        offset: u64,
        limit: u64,
    ) -> BoxFuture<'_, Result<ArtifactPage, ToolError>>;
}
