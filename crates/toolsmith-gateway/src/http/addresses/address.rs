//! An address: what it takes, what it answers, and who answers.

use std::collections::BTreeSet;

use axum::{
    http::StatusCode,
    routing::{MethodFilter, MethodRouter},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use toolsmith_core::{ErrorKind, ToolError};

use super::super::status::status_of;
use crate::Gateway;

/// The schema of a type.
pub(in crate::http) type Of = fn(&mut SchemaGenerator) -> Schema;

/// Returns the schema of a type.
pub(super) fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// An address and a method.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct Address {
    pub(in crate::http) verb: Verb,
    pub(in crate::http) path: &'static str,
    pub(in crate::http) summary: &'static str,
    pub(super) route: fn(MethodFilter) -> MethodRouter<Gateway>,
    /// The type that its query is read into.
    pub(in crate::http) query: Option<Of>,
    /// The type that its body is read into.
    pub(in crate::http) body: Option<Of>,
    /// What is answered when all is well.
    pub(in crate::http) answers: &'static [(u16, Sent)],
    pub(super) fails: &'static [Fails],
}

/// The method of an address.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) enum Verb {
    Get,
    Post,
    Delete,
}

/// What an answer holds: a document of a type, or something else.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) enum Sent {
    Json(Of),
    JsonOrEvents(Of),
    JsonOrText(Of),
    Events,
    Plain,
    Page,
    Nothing,
}

/// How a request can fail, besides being refused at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Fails {
    /// Its body cannot be read.
    Body,
    /// What it names is not there.
    Named,
    /// There are no records to read.
    Records,
    /// A call fails, or is not even one.
    Call,
    /// A change of the tools fails.
    Change,
    /// What MCP says about a message.
    Message,
}

impl Verb {
    /// Returns the method as a description writes it.
    pub(in crate::http) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Delete => "delete",
        }
    }

    pub(super) fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

impl Address {
    pub(super) const fn new(
        verb: Verb,
        path: &'static str,
        summary: &'static str,
        route: fn(MethodFilter) -> MethodRouter<Gateway>,
    ) -> Self {
        Self { verb, path, summary, route, query: None, body: None, answers: &[], fails: &[] }
    }

    /// Says what its query is read into.
    pub(super) const fn asks(mut self, query: Of) -> Self {
        self.query = Some(query);
        self
    }

    /// Says what its body is read into.
    pub(super) const fn takes(mut self, body: Of) -> Self {
        self.body = Some(body);
        self
    }

    /// Says what it answers.
    pub(super) const fn answers(mut self, answers: &'static [(u16, Sent)]) -> Self {
        self.answers = answers;
        self
    }

    /// Says how it fails.
    pub(super) const fn fails(mut self, fails: &'static [Fails]) -> Self {
        self.fails = fails;
        self
    }

    /// Returns every status of a failure.
    pub(in crate::http) fn failures(&self) -> BTreeSet<u16> {
        let every = Fails::AT_THE_DOOR.iter().copied();
        every.chain(self.fails.iter().flat_map(|fails| fails.statuses())).collect()
    }

    /// Tells whether a failure can be of that sort.
    pub(in crate::http) fn can_fail_by(&self, fails: Fails) -> bool {
        self.fails.contains(&fails)
    }
}

impl Fails {
    /// Requests are refused that cannot be read, show no key, or may not do what they ask for; that
    /// come from where many wrong keys came from; and whose token cannot be checked at the moment.
    const AT_THE_DOOR: &[u16] = &[400, 401, 403, 429, 503];

    fn statuses(self) -> Vec<u16> {
        match self {
            Self::Body => vec![408, 413, 415],
            Self::Named => vec![404],
            Self::Records => vec![503],
            Self::Message => vec![404, 405, 406, 408, 413, 415, 503],
            Self::Call | Self::Change => {
                let kinds = ErrorKind::ALL.map(|kind| status_of(&ToolError::new(kind, "")));
                let closing = status_of(&ToolError::closing());
                kinds
                    .into_iter()
                    .chain([closing])
                    .map(|status: StatusCode| status.as_u16())
                    .collect()
            }
        }
    }
}
