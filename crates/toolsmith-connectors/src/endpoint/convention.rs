//! Reads how a service is called and asked for its health.

use std::time::Duration;

use toolsmith_core::Fields;
use toolsmith_net::Method;

use crate::texts;

const METHODS: [&str; 5] = ["POST", "GET", "PUT", "PATCH", "DELETE"];

/// How long a service may take to be well unless its entry says otherwise.
const START: Duration = Duration::from_secs(30);

/// How a service is called.
#[derive(Clone, Debug)]
pub(crate) struct Convention {
    pub(crate) path: String,
    pub(crate) method: Method,
}

impl Convention {
    /// Reads the keys `endpoint_path` and `http_method`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        let path = path(fields, "endpoint_path").unwrap_or_else(|| "/".to_owned());
        let method = match fields.word("http_method", &METHODS) {
            Some("GET") => Method::GET,
            Some("PUT") => Method::PUT,
            Some("PATCH") => Method::PATCH,
            Some("DELETE") => Method::DELETE,
            _ => Method::POST,
        };
        Self { path, method }
    }
}

/// How one knows that a service is well.
#[derive(Clone, Debug)]
pub(crate) struct Health {
    /// What is asked for by GET; without it a port that accepts is enough.
    pub(crate) path: Option<String>,
    /// How long it may take after the start.
    pub(crate) timeout: Duration,
}

impl Health {
    /// Reads the key `health`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        let Some(mut inner) = fields.enter("health") else {
            return Self { path: None, timeout: START };
        };
        let path = path(&mut inner, "path");
        let timeout = inner.seconds("timeout").unwrap_or(START);
        fields.leave(inner);
        Self { path, timeout }
    }
}

fn path(fields: &mut Fields<'_>, key: &'static str) -> Option<String> {
    let path = texts::literal(fields, key)?;
    if !path.starts_with('/') {
        fields.blame(key, format!("expected a path that begins with `/`, found {path:?}"));
        return None;
    }
    Some(path.to_owned())
}
