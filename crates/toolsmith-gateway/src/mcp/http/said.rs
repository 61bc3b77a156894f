//! What the headers of a request say about it.

use axum::http::{HeaderMap, header::ACCEPT};

use super::headers::{self, REVISION};
use crate::{accepted, mcp::revision::Revision};

/// What a header says of the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    /// Nothing.
    Nothing,
    /// One that is spoken here.
    Known(Revision),
    /// Another one.
    Unknown,
}

impl Spoken {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match headers::text(headers, REVISION) {
            None => Self::Nothing,
            Some(name) => Revision::from_name(name).map_or(Self::Unknown, Self::Known),
        }
    }

    /// Tells whether requests stand for themselves; so they do in any revision that is to come.
    pub(super) fn stands_alone(self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Known(revision) => revision.is_stateless(),
            Self::Unknown => true,
        }
    }
}

/// Which forms of an answer a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forms {
    /// JSON and streams.
    Both,
    /// JSON alone.
    JsonOnly,
    /// Streams alone.
    StreamOnly,
}

impl Forms {
    /// Reads the header; nothing when no form is taken that we have.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all(ACCEPT).iter().peekable();
        if lines.peek().is_none() {
            return Some(Self::Both);
        }
        let (mut json, mut stream) = (false, false);
        let ranges = lines.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
        for range in ranges.filter_map(accepted::named) {
            match range {
                "*/*" => (json, stream) = (true, true),
                "application/json" | "application/*" => json = true,
                "text/event-stream" | "text/*" => stream = true,
                _ => {}
            }
        }
        match (json, stream) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::JsonOnly),
            (false, true) => Some(Self::StreamOnly),
            (false, false) => None,
        }
    }
}
