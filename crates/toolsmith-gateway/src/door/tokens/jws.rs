//! A signed token in its compact form (RFC 7515): three parts in base64url, with dots between.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use toolsmith_core::{Map, Value};

use super::{algorithm::Algorithm, jwk::Jwk};
use crate::json;

/// The longest token that is read.
const LONGEST: usize = 16 << 10;

/// The types of tokens that open a door; those for something else (logouts, proofs) do not.
const TYPES: [&str; 4] = ["jwt", "at+jwt", "application/jwt", "application/at+jwt"];

/// A token, taken apart; nothing in it is proven before its signature is.
#[derive(Debug)]
pub(super) struct Jws<'a> {
    pub(super) algorithm: Algorithm,
    pub(super) kid: Option<String>,
    pub(super) claims: Map<String, Value>,
    /// What was signed.
    message: &'a str,
    signature: Vec<u8>,
}

impl<'a> Jws<'a> {
    /// Takes a token apart, or says why it is none.
    ///
    /// Of its head only the algorithm, the name of the key and the type are read: where a key
    /// could be found (`jku`, `x5u`), or the key itself (`jwk`, `x5c`), is not for a token to say.
    pub(super) fn parse(text: &'a str) -> Result<Self, &'static str> {
        if text.len() > LONGEST {
            return Err("The token is too long.");
        }
        let malformed = "The token cannot be read.";
        let (message, signature) = text.rsplit_once('.').ok_or(malformed)?;
        let (head, claims) = message.split_once('.').ok_or(malformed)?;
        let head = object(head).ok_or(malformed)?;
        let claims = object(claims).ok_or(malformed)?;
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).map_err(|_| malformed)?;
        // What a head calls critical must be understood, and nothing of that kind is.
        if head.contains_key("crit") {
            return Err("The token wants something that is not understood here.");
        }
        if !is_of_a_type(&head) {
            return Err("The token is not one for access.");
        }
        let algorithm = head.get("alg").and_then(Value::as_str).and_then(Algorithm::from_name);
        let algorithm = algorithm.ok_or("The token is not signed in a way that is accepted.")?;
        let kid = match head.get("kid") {
            None => None,
            Some(kid) => Some(kid.as_str().ok_or(malformed)?.to_owned()),
        };
        Ok(Self { algorithm, kid, claims, message, signature })
    }

    /// Tells whether a key signed it.
    pub(super) fn is_signed_by(&self, key: &Jwk) -> bool {
        key.signed(self.algorithm, self.message.as_bytes(), &self.signature)
    }
}

fn is_of_a_type(head: &Map<String, Value>) -> bool {
    match head.get("typ") {
        None => true,
        Some(Value::String(text)) => TYPES.iter().any(|known| text.eq_ignore_ascii_case(known)),
        Some(_) => false,
    }
}

/// Reads a part; an object with two members of one name is none.
fn object(part: &str) -> Option<Map<String, Value>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).ok()?;
    let mut deserializer = serde_json::Deserializer::from_slice(&bytes);
    let map = json::strict_map(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(head: &str, claims: &str) -> String {
        let part = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        format!("{}.{}.{}", part(head), part(claims), part("signature"))
    }

    #[test]
    fn a_token_is_taken_apart() {
        let text = token(r#"{"alg":"ES256","kid":"../a","typ":"AT+JWT","jku":"http://x"}"#, "{}");
        let jws = Jws::parse(&text).unwrap();
        assert_eq!((jws.algorithm, jws.kid.as_deref()), (Algorithm::Es256, Some("../a")));
    }

    #[test]
    fn what_is_no_token_or_one_for_something_else_is_refused() {
        for (head, claims) in [
            (r#"{"alg":"none"}"#, "{}"),
            (r#"{"alg":"None"}"#, "{}"),
            (r#"{"alg":"HS256"}"#, "{}"),
            (r#"{"alg":"es256"}"#, "{}"),
            (r#"{"alg":["ES256"]}"#, "{}"),
            ("{}", "{}"),
            (r#"{"alg":"ES256","crit":["b64"],"b64":false}"#, "{}"),
            (r#"{"alg":"ES256","typ":"dpop+jwt"}"#, "{}"),
            (r#"{"alg":"ES256","typ":1}"#, "{}"),
            (r#"{"alg":"ES256","kid":7}"#, "{}"),
            (r#"{"alg":"none","alg":"ES256"}"#, "{}"),
            (r#"{"alg":"ES256"}"#, r#"{"sub":"a","sub":"b"}"#),
            (r#"{"alg":"ES256"}"#, r#"{"sub":"a","\u0073ub":"b"}"#),
            (r#"{"alg":"ES256"}"#, "[]"),
            (r#"{"alg":"ES256"}"#, "{} {}"),
        ] {
            assert!(Jws::parse(&token(head, claims)).is_err(), "{head} {claims}");
        }
        let good = token(r#"{"alg":"ES256"}"#, "{}");
        let padded = format!("{good}=");
        let longer = format!("{good}.x");
        let huge = token(r#"{"alg":"ES256"}"#, &format!(r#"{{"x":"{}"}}"#, "x".repeat(20_000)));
        let deep = token(r#"{"alg":"ES256"}"#, &"[".repeat(5_000));
        for text in ["", ".", "..", "a.b.c", &padded, &longer, &huge, &deep] {
            assert!(Jws::parse(text).is_err(), "{text}");
        }
    }
}
