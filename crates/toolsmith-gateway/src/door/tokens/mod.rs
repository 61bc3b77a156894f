//! Tokens that somebody else issues (JWT): whose they are, and what they allow.

mod algorithm;
mod cache;
mod grants;
mod jwk;
mod jws;
mod provider;

use std::time::Duration;

use toolsmith_core::{Map, Role, Text, Timestamp, Value};
use toolsmith_net::Client;

pub use self::{algorithm::Algorithm, grants::Grants, provider::KeySource};
use self::{
    cache::Cache,
    jwk::candidates,
    jws::Jws,
    provider::{Known, Provider},
};
use super::refused::Refused;
use crate::{Visitor, http::Failure, visitor::Entrance};

/// The longest name of a holder.
const LONGEST_NAME: usize = 256;

/// Who issues tokens, which of them are for this server, and what they allow.
#[derive(Clone, Debug)]
pub struct Issuer {
    /// Its name, exactly as its tokens write it.
    pub name: String,
    /// Whom a token must be for: this server, by one of these names.
    pub audiences: Vec<String>,
    /// Where its keys are.
    pub keys: KeySource,
    /// The ways of signing that are accepted.
    pub algorithms: Vec<Algorithm>,
    /// How far the clocks may be apart.
    pub leeway: Duration,
    /// What stands before the names of its callers; no two issuers share it.
    pub prefix: String,
    /// The claim that names the caller.
    pub caller_claim: String,
    /// How rights follow from claims.
    pub grants: Grants,
    /// How long to wait between two fetches of keys.
    pub pause: Duration,
}

impl Issuer {
    /// Makes an issuer that describes itself, with the usual settings.
    pub fn new(name: impl Into<String>, audience: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            audiences: vec![audience.into()],
            keys: KeySource::Discovered,
            algorithms: Algorithm::ALL.to_vec(),
            leeway: Duration::from_secs(30),
            prefix: "jwt".to_owned(),
            caller_claim: "sub".to_owned(),
            grants: Grants::default(),
            pause: Duration::from_secs(10),
        }
    }
}

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

impl Issuer {
    /// Checks whom a token is for, and when; returns its end.
    fn accept(
        &self,
        claims: &Map<String, Value>,
        now: Timestamp,
    ) -> Result<Timestamp, &'static str> {
        let is_ours = |name: &Value| {
            name.as_str().is_some_and(|name| self.audiences.iter().any(|own| own == name))
        };
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(names)) => names.iter().any(is_ours),
            Some(name) => is_ours(name),
            None => false,
        };
        if !is_for_us {
            return Err("The token is for somebody else.");
        }
        let end = moment(claims.get("exp")).ok_or("The token has no end.")?.plus(self.leeway);
        if now >= end {
            return Err("The token has expired.");
        }
        let begin = match claims.get("nbf") {
            None => None,
            begin => Some(moment(begin).ok_or("The token cannot be read.")?),
        };
        if begin.is_some_and(|begin| begin > now.plus(self.leeway)) {
            return Err("The token is not good yet.");
        }
        Ok(end)
    }

    /// Returns the caller's name: never that of a key, for those have no colon.
    fn holder(&self, claims: &Map<String, Value>) -> Option<Text> {
        let name = claims.get(&self.caller_claim)?.as_str()?;
        let is_plain =
            !name.is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(char::is_control);
        is_plain.then(|| format!("{}:{name}", self.prefix).into())
    }
}

/// Reads a moment: seconds since 1970, perhaps with a fraction.
fn moment(claim: Option<&Value>) -> Option<Timestamp> {
    let seconds = claim?.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "moments out of reach are cut off")]
    Some(Timestamp::from_micros((seconds * 1e6) as i64))
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    fn accepted(claims: &Value) -> Result<Timestamp, &'static str> {
        let issuer = Issuer::new("https://id.example", "tools");
        issuer.accept(claims.as_object().unwrap(), Timestamp::from_millis(1_000_000))
    }

    #[test]
    fn a_token_is_for_us_and_for_now() {
        for good in [
            json!({"aud": "tools", "exp": 1_100}),
            json!({"aud": ["x", "tools"], "exp": 970.5, "nbf": 1_030}),
        ] {
            assert!(accepted(&good).is_ok(), "{good}");
        }
        for bad in [
            json!({"exp": 1_100}),
            json!({"aud": "tools"}),
            json!({"aud": "Tools", "exp": 1_100}),
            json!({"aud": ["tools/"], "exp": 1_100}),
            json!({"aud": {"tools": 1}, "exp": 1_100}),
            json!({"aud": "tools", "exp": 970}),
            json!({"aud": "tools", "exp": "1100"}),
            json!({"aud": "tools", "exp": -1e300}),
            json!({"aud": "tools", "exp": 1_100, "nbf": 1_031}),
            json!({"aud": "tools", "exp": 1_100, "nbf": "soon"}),
            json!({"aud": "tools", "exp": 1_100, "nbf": 1e300}),
        ] {
            assert!(accepted(&bad).is_err(), "{bad}");
        }
        assert!(accepted(&json!({"aud": "tools", "exp": 1e300})).is_ok());
    }

    #[test]
    fn names_of_holders_are_plain_and_never_those_of_keys() {
        let issuer = Issuer::new("https://id.example", "tools");
        let named = |claims: Value| issuer.holder(claims.as_object().unwrap());
        assert_eq!(named(json!({"sub": "ann"})).unwrap(), "jwt:ann");
        for bad in [json!({}), json!({"sub": ""}), json!({"sub": 7}), json!({"sub": "a\nb"})] {
            assert!(named(bad.clone()).is_none(), "{bad}");
        }
        assert!(named(json!({"sub": "x".repeat(257)})).is_none());
    }
}
