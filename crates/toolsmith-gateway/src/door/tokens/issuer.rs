//! Who issues tokens, and which of them are good here and now.

use std::time::Duration;

use toolsmith_core::{Map, Text, Timestamp, Value};

use super::{Algorithm, Grants, KeySource};

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

impl Issuer {
    /// Checks whom a token is for, and when; returns its end.
    pub(super) fn accept(
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
    pub(super) fn holder(&self, claims: &Map<String, Value>) -> Option<Text> {
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
