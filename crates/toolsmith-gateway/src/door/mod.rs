//! Who may come in: where requests may come from, and whose keys and tokens are good.

mod attempts;
mod audit;
mod challenge;
mod credential;
mod hosts;
mod keys;
mod open;
mod page;
mod refused;
mod stand;
mod tokens;

use axum::http::HeaderMap;
use subtle::ConstantTimeEq;
use toolsmith_core::{Secret, Timestamp};

pub(crate) use self::{
    challenge::{WELL_KNOWN, base},
    credential::shown_by,
    stand::{Guard, stand},
};
use self::{credential::Credential, refused::Refused};
pub use self::{
    hosts::Hosts,
    keys::KeyRing,
    tokens::{Algorithm, Grants, Issuer, KeySource, Tokens},
};
use crate::{Visitor, http::Failure};

/// Lets callers in.
#[derive(Debug)]
pub struct Doorkeeper {
    /// How requests may address this program.
    pub hosts: Hosts,
    /// The keys that open the door.
    pub keys: Option<KeyRing>,
    /// The issuers whose tokens open the door.
    pub tokens: Option<Tokens>,
    /// What makes a caller the operator, who started this program.
    pub operator: Option<Secret<String>>,
    /// Who comes without a key.
    pub without_key: WithoutKey,
}

/// What happens to callers without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutKey {
    /// They are someone on this machine: who may do everything, until there are keys or tokens.
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
            tokens: None,
            operator: None,
            without_key: WithoutKey::Local,
        }
    }

    /// Finds out whether somebody who was let in would be once more.
    pub(crate) async fn readmit(
        &self,
        headers: &HeaderMap,
        guard: &Guard,
        now: Timestamp,
    ) -> Result<Visitor, Failure> {
        self.hosts.check(headers)?;
        self.admit(headers, guard, || now).await.map_err(|refused| refused.failure)
    }

    /// Finds out who sends a request that comes from nowhere forbidden, or why it is not let in.
    async fn admit(
        &self,
        headers: &HeaderMap,
        guard: &Guard,
        now: impl Fn() -> Timestamp,
    ) -> Result<Visitor, Refused> {
        let Some(credential) = Credential::of(headers)? else {
            return match self.without_key {
                WithoutKey::Local => Ok(self.someone_here().await),
                WithoutKey::Refused => {
                    let why = "Send a key: `Authorization: Bearer KEY`.";
                    Err(Failure::unauthenticated(why).into())
                }
            };
        };
        let text = credential.text();
        if self.is_operator(text) {
            return Ok(Visitor::operator());
        }
        match (credential, &self.tokens, &self.keys) {
            // A key of ours has no dots, and a token has two.
            (Credential::Bearer(_), Some(tokens), _) if text.contains('.') => {
                // What is rare, or slow anyway, is boxed: the work of every request holds it.
                Box::pin(tokens.holder_of(text, now())).await
            }
            (_, _, Some(keys)) => keys.holder_of(text, || guard.look(), now()).await,
            _ => Err(Refused::credential(keys::UNKNOWN)),
        }
    }

    /// Returns who comes without a key.
    ///
    /// Where callers have names, one of them may have left its key away: it sees what is its own.
    async fn someone_here(&self) -> Visitor {
        let has_keys = match &self.keys {
            Some(keys) => keys.has_any().await,
            None => false,
        };
        if has_keys || self.tokens.is_some() { Visitor::unnamed() } else { Visitor::local() }
    }

    fn is_operator(&self, text: &str) -> bool {
        let secret = self.operator.as_ref().map(|secret| secret.expose().as_bytes());
        secret.is_some_and(|secret| secret.ct_eq(text.as_bytes()).into())
    }
}
