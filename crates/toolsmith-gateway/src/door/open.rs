//! The addresses that answer strangers.

use axum::{extract::Request, http::HeaderMap};
use subtle::ConstantTimeEq;

use super::{WELL_KNOWN, credential::Credential};
use crate::{Gateway, MetricsDoor};

/// Whoever watches whether the program is well has no key; and who wants a token must be able to
/// learn where to get one.
const OPEN: [&str; 3] = ["/health", "/health/live", "/health/ready"];

impl Gateway {
    /// Tells whether an address answers somebody whom no key makes known.
    pub(super) fn is_open_to<B>(&self, request: &Request<B>) -> bool {
        let path = request.uri().path();
        OPEN.contains(&path)
            || path.starts_with(WELL_KNOWN)
            || path == "/metrics" && self.shows_metrics(request.headers())
    }

    fn shows_metrics(&self, headers: &HeaderMap) -> bool {
        let config = &self.0.config;
        let key = config.metrics_key.as_ref().filter(|_| config.metrics == MetricsDoor::Admins);
        let shown = Credential::of(headers).ok().flatten().map(|shown| match shown {
            Credential::Bearer(text) | Credential::Key(text) => text.as_bytes(),
        });
        let fits =
            key.zip(shown).is_some_and(|(key, shown)| key.expose().as_bytes().ct_eq(shown).into());
        fits || config.metrics == MetricsDoor::Open
    }
}
