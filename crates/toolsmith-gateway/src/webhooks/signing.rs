//! Signatures by which a receiver knows that a message is from us and has not been changed.
//!
//! The form is that of the Standard Webhooks specification: HMAC-SHA256 over the identifier, the
//! time and the body, with points between them.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use toolsmith_core::Secret;

/// What a secret in Base64 begins with.
const MARK: &str = "whsec_";

/// The shortest secret that is taken, in bytes.
const SHORTEST: usize = 16;

/// Why a secret cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongSecret {
    /// The receiver.
    webhook: String,
    why: &'static str,
}

impl fmt::Display for WrongSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the secret of the webhook `{}` {}", self.webhook, self.why)
    }
}

impl std::error::Error for WrongSecret {}

/// Signs messages with one or several secrets.
#[derive(Clone)]
pub(super) struct Signing(Vec<Hmac<Sha256>>);

impl Signing {
    pub(super) fn new(webhook: &str, secrets: &[Secret<String>]) -> Result<Self, WrongSecret> {
        let wrong = |why| WrongSecret { webhook: webhook.to_owned(), why };
        if secrets.is_empty() {
            return Err(wrong("is missing"));
        }
        let keys = secrets.iter().map(|secret| {
            let bytes = match secret.expose().strip_prefix(MARK) {
                Some(text) => STANDARD.decode(text).map_err(|_| wrong("is not Base64"))?,
                None => secret.expose().as_bytes().to_vec(),
            };
            if bytes.len() < SHORTEST {
                return Err(wrong("is shorter than 16 bytes"));
            }
            Hmac::new_from_slice(&bytes).map_err(|_| wrong("cannot be used"))
        });
        keys.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the value of `webhook-signature`: one signature for each secret.
    pub(super) fn sign(&self, id: &str, seconds: i64, body: &str) -> String {
        let head = format!("{id}.{seconds}.");
        let signatures = self.0.iter().map(|key| {
            let mut signing = key.clone();
            signing.update(head.as_bytes());
            signing.update(body.as_bytes());
            format!("v1,{}", STANDARD.encode(signing.finalize().into_bytes()))
        });
        signatures.collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signing({} secrets)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signing(secrets: &[&str]) -> Result<Signing, WrongSecret> {
        let secrets: Vec<_> = secrets.iter().map(|text| Secret::new((*text).to_owned())).collect();
        Signing::new("a", &secrets)
    }

    #[test]
    fn the_signature_is_that_of_the_specification() {
        // The example that the specification gives.
        let signing = signing(&["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
        let body = r#"{"test": 2432232314}"#;
        assert_eq!(
            signing.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn every_secret_signs_while_one_takes_the_place_of_another() {
        let (old, new) = ("an old secret of many bytes", "a new secret of many bytes");
        let both = signing(&[new, old]).unwrap().sign("1", 2, "{}");
        let one = |secret| signing(&[secret]).unwrap().sign("1", 2, "{}");
        assert_eq!(both, format!("{} {}", one(new), one(old)));
    }

    #[test]
    fn secrets_that_could_be_guessed_are_refused() {
        for wrong in ["", "short", "whsec_", "whsec_!!!!", "whsec_c2hvcnQ="] {
            let error = signing(&[wrong]).unwrap_err().to_string();
            assert!(error.starts_with("the secret of the webhook `a` is "), "{error}");
        }
        assert!(signing(&[]).is_err());
    }
}
