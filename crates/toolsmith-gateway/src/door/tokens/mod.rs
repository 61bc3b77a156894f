//! Tokens that somebody else issues (JWT): whose they are, and what they allow.

mod algorithm;
mod cache;
mod grants;
mod issuer;
mod jwk;
mod jws;
mod provider;

use toolsmith_core::{Role, Timestamp, Value};
use toolsmith_net::Client;

pub use self::{algorithm::Algorithm, grants::Grants, issuer::Issuer, provider::KeySource};
use self::{
    cache::Cache,
    jwk::candidates,
    jws::Jws,
    provider::{Known, Provider},
};
use super::refused::Refused;
use crate::{Health, Visitor, http::Failure, visitor::Entrance};

/// The issuers whose tokens open the door.
#[derive(Debug)]
pub struct Tokens {
    issuers: Vec<(Issuer, Provider)>,
    good: Cache,
}

impl Tokens {
    /// Trusts issuers; their keys are fetched when the first token comes.
    pub fn new(issuers: Vec<Issuer>, client: &Client) -> Self {
        let with_keys = |issuer: Issuer| {
            let (name, source) = (issuer.name.clone(), issuer.keys.clone());
            let provider = Provider::new(name, source, client.clone(), issuer.pause);
            (issuer, provider)
        };
        Self { issuers: issuers.into_iter().map(with_keys).collect(), good: Cache::new() }
    }

    /// Says what is wrong with keys that are in files.
    pub async fn check(&self) -> Result<(), String> {
        for (issuer, provider) in &self.issuers {
            let checked = provider.check().await;
            checked.map_err(|why| format!("the keys of {}: {why}", issuer.name))?;
        }
        Ok(())
    }

    /// Returns how it is with the keys of the issuers: those that are known stay good.
    pub(crate) fn health(&self) -> Health {
        let troubles = self.issuers.iter().filter_map(|(issuer, provider)| {
            let why = provider.trouble()?;
            Some(format!("the keys of {} cannot be fetched: {why}", issuer.name))
        });
        let troubles: Vec<String> = troubles.collect();
        if troubles.is_empty() { Health::good() } else { Health::bad(troubles.join("; ")) }
    }

    /// Returns who issues the tokens.
    pub(crate) fn issuers(&self) -> impl Iterator<Item = &str> {
        self.issuers.iter().map(|(issuer, _)| issuer.name.as_str())
    }

    /// Returns the scopes that mean one of some roles, each once.
    pub(crate) fn scopes(&self, roles: &[Role]) -> Vec<&str> {
        let all = self.issuers.iter().flat_map(|(issuer, _)| &issuer.grants.scopes);
        let mut scopes: Vec<&str> =
            all.filter(|(_, role)| roles.contains(role)).map(|(scope, _)| scope.as_str()).collect();
        scopes.sort_unstable();
        scopes.dedup();
        scopes
    }

    /// Finds out who holds a token, or why it does not open the door.
    pub(super) async fn holder_of(&self, text: &str, now: Timestamp) -> Result<Visitor, Refused> {
        if let Some(visitor) = self.good.get(text, now) {
            return Ok(visitor);
        }
        let jws = Jws::parse(text).map_err(Refused::credential)?;
        let named = jws.claims.get("iss").and_then(Value::as_str);
        let found = self.issuers.iter().find(|(issuer, _)| named == Some(&issuer.name));
        let (issuer, provider) =
            found.ok_or_else(|| Refused::credential("The token is from an unknown issuer."))?;
        if !issuer.algorithms.contains(&jws.algorithm) {
            return Err(Refused::credential("The token is not signed in a way that is accepted."));
        }
        prove(&jws, provider).await?;
        // From here on the claims are the issuer's own words.
        let holder = issuer.holder(&jws.claims);
        let end = issuer.accept(&jws.claims, now);
        let end = end.map_err(|why| Refused::credential(why).by(holder.clone()))?;
        let id = holder.ok_or_else(|| Refused::credential("The token names nobody."))?;
        let Some(rights) = issuer.grants.rights(&jws.claims) else {
            let why = "The token allows nothing here.";
            return Err(Refused::from(Failure::forbidden(why)).by(Some(id)));
        };
        let visitor = Visitor { id, rights, entrance: Entrance::Token };
        self.good.put(text, visitor.clone(), end, now);
        Ok(visitor)
    }
}

/// Refuses a token that no key of its issuer signed.
async fn prove(jws: &Jws<'_>, provider: &Provider) -> Result<(), Refused> {
    let mut known = provider.keys().await;
    if candidates(&known.keys, jws.algorithm, jws.kid.as_deref()).is_empty() {
        // It may be a key that the issuer has begun to use.
        known = provider.fetch().await;
    }
    if known.keys.is_empty() {
        return Err(Refused::from(Failure::keys_unavailable()));
    }
    if is_signed(jws, &known) {
        return Ok(());
    }
    Err(Refused::credential("The token is not signed by a key of its issuer."))
}

fn is_signed(jws: &Jws<'_>, known: &Known) -> bool {
    let candidates = candidates(&known.keys, jws.algorithm, jws.kid.as_deref());
    candidates.into_iter().any(|key| jws.is_signed_by(key))
}
