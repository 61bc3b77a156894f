//! Who may come in: where requests may come from, and whose keys are good.

mod hosts;
mod keys;
mod open;

use axum::{
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue,
        header::{AUTHORIZATION, CONNECTION, HOST, TRANSFER_ENCODING},
    },
    middleware::Next,
    response::{IntoResponse, Response},
};
use subtle::ConstantTimeEq;
use toolsmith_core::{EventKind, Secret, Timestamp, json};

pub use self::{hosts::Hosts, keys::KeyRing};
use crate::{Gateway, Visitor, http::Failure, watched::Sender};

/// Lets callers in.
#[derive(Debug)]
pub struct Doorkeeper {
    /// How requests may address this program.
    pub hosts: Hosts,
    /// The keys that open the door.
    pub keys: Option<KeyRing>,
    /// What makes a caller the operator, who started this program.
    pub operator: Option<Secret<String>>,
    /// Who comes without a key.
    pub without_key: WithoutKey,
}

/// What happens to callers without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutKey {
    /// They are someone on this machine, and may do everything.
    Local,
    /// They are refused.
    Refused,
}

impl Doorkeeper {
    /// Lets in whoever is on this machine.
    pub fn local() -> Self {
        Self {
            hosts: Hosts::loopback(),
            keys: None,
            operator: None,
            without_key: WithoutKey::Local,
        }
    }

    /// Finds out who sends a request, or why it is not let in.
    pub(crate) async fn admit(
        &self,
        headers: &HeaderMap,
        now: Timestamp,
    ) -> Result<Visitor, Failure> {
        self.hosts.check(headers)?;
        match credential(headers)? {
            None if self.without_key == WithoutKey::Local => Ok(Visitor::local()),
            None => Err(Failure::unauthenticated("Send a key: `Authorization: Bearer KEY`.")),
            Some(text) if self.is_operator(text) => Ok(Visitor::operator()),
            Some(text) => {
                let found = match &self.keys {
                    Some(keys) => keys.holder_of(text, now).await,
                    None => None,
                };
                found.ok_or_else(|| {
                    Failure::unauthenticated("The key is unknown, revoked or has expired.")
                })
            }
        }
    }

    fn is_operator(&self, text: &str) -> bool {
        let secret = self.operator.as_ref().map(|secret| secret.expose().as_bytes());
        secret.is_some_and(|secret| secret.ct_eq(text.as_bytes()).into())
    }
}

/// Returns the key that a request shows.
fn credential(headers: &HeaderMap) -> Result<Option<&str>, Failure> {
    let unreadable = || Failure::unauthenticated("The key cannot be read.");
    if let Some(value) = headers.get(AUTHORIZATION) {
        let text = value.to_str().map_err(|_| unreadable())?;
        let (scheme, key) = text.split_once(' ').ok_or_else(unreadable)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Failure::unauthenticated("Send the key as `Authorization: Bearer KEY`."));
        }
        return Ok(Some(key.trim()));
    }
    headers.get("x-api-key").map(|value| value.to_str().map_err(|_| unreadable())).transpose()
}

/// Puts the host of a whole address in place of the header: the address counts (RFC 9112 §3.2.2).
fn name_whom_it_is_for(request: &mut Request) {
    let host = request.uri().authority().map(|name| HeaderValue::from_str(name.as_str()));
    if let Some(Ok(host)) = host {
        request.headers_mut().insert(HOST, host);
    }
}

/// Stands before every address: whoever gets past has a name.
pub(crate) async fn stand(
    State(gateway): State<Gateway>,
    mut request: Request,
    next: Next,
) -> Response {
    name_whom_it_is_for(&mut request);
    let now = gateway.0.engine.now();
    // Such a body may come with a length as well, and then whoever passed the request on may see
    // another end of it: nothing behind it is read (RFC 9112 §6.3).
    let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
    match gateway.0.door.admit(request.headers(), now).await {
        Ok(visitor) => {
            let sender = gateway.0.config.is_watched().then(|| Sender(visitor.id.clone()));
            request.extensions_mut().insert(visitor);
            let mut response = next.run(request).await;
            if let Some(sender) = sender {
                response.extensions_mut().insert(sender);
            }
            if is_chunked {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            response
        }
        Err(failure) if failure.is_unauthenticated() && gateway.is_open_to(&request) => {
            next.run(request).await
        }
        Err(failure) => {
            tracing::warn!(address = request.uri().path(), reason = failure.message(), "refused");
            let told = json!({ "address": request.uri().path(), "reason": failure.message() });
            gateway.0.engine.announce(EventKind::AccessRefused, None, told);
            failure.into_response()
        }
    }
}
