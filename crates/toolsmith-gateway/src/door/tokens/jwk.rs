//! The public keys of an issuer, as it publishes them (RFC 7517).

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{RsaPublicKeyComponents, UnparsedPublicKey};
use toolsmith_core::Value;

use super::algorithm::{Algorithm, Check};

/// How many keys of a set are read: a provider has a handful.
const MOST_KEYS: usize = 100;

/// How many keys are tried on a token that does not name its key.
const MOST_TRIED: usize = 8;

/// A public key that can check signatures.
#[derive(Debug)]
pub(super) struct Jwk {
    kid: Option<String>,
    /// The one way of signing that it is for, when it says so.
    algorithm: Option<Algorithm>,
    material: Material,
}

#[derive(Debug)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// Reads a set of keys; those that are for something else, or cannot be read, are left out.
pub(super) fn read_set(text: &[u8]) -> Result<Vec<Jwk>, String> {
    let set: Value = serde_json::from_slice(text).map_err(|error| format!("no JSON: {error}"))?;
    let keys = set["keys"].as_array().ok_or("no list of `keys`")?;
    let keys: Vec<Jwk> = keys.iter().take(MOST_KEYS).filter_map(Jwk::read).collect();
    if keys.is_empty() { Err("no key that could check a signature".to_owned()) } else { Ok(keys) }
}

/// Returns the keys that may have signed a token: the one it names, or any of its kind.
pub(super) fn candidates<'a>(
    keys: &'a [Jwk],
    algorithm: Algorithm,
    kid: Option<&str>,
) -> Vec<&'a Jwk> {
    let fits = |key: &&Jwk| {
        let is_named = kid.is_none() || key.kid.as_deref() == kid;
        is_named && key.is_for(algorithm)
    };
    keys.iter().filter(fits).take(MOST_TRIED).collect()
}

impl Jwk {
    fn read(value: &Value) -> Option<Self> {
        let is_for_signatures = value["use"].as_str().is_none_or(|purpose| purpose == "sig");
        let verifies = value["key_ops"]
            .as_array()
            .is_none_or(|uses| uses.iter().any(|purpose| purpose.as_str() == Some("verify")));
        if !is_for_signatures || !verifies {
            return None;
        }
        let material = match (value["kty"].as_str()?, value["crv"].as_str()) {
            ("RSA", _) => Material::Rsa { n: number(&value["n"])?, e: number(&value["e"])? },
            ("EC", Some("P-256")) => Material::P256(point(value, 32)?),
            ("EC", Some("P-384")) => Material::P384(point(value, 48)?),
            ("OKP", Some("Ed25519")) => Material::Ed25519(bytes(&value["x"])?),
            _ => return None,
        };
        let algorithm = match value["alg"].as_str() {
            Some(name) => Some(Algorithm::from_name(name)?),
            None => None,
        };
        Some(Self { kid: value["kid"].as_str().map(str::to_owned), algorithm, material })
    }

    /// Tells whether it checks signatures of that kind: the kind follows from the key, never from
    /// the token alone.
    fn is_for(&self, algorithm: Algorithm) -> bool {
        let fits = match self.material {
            Material::Rsa { .. } => matches!(algorithm.check(), Check::Rsa(_)),
            Material::P256(_) => algorithm == Algorithm::Es256,
            Material::P384(_) => algorithm == Algorithm::Es384,
            Material::Ed25519(_) => algorithm == Algorithm::EdDsa,
        };
        fits && self.algorithm.is_none_or(|own| own == algorithm)
    }

    /// Tells whether it made a signature.
    pub(super) fn signed(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        let verified = match (&self.material, algorithm.check()) {
            (Material::Rsa { n, e }, Check::Rsa(parameters)) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (
                Material::P256(key) | Material::P384(key) | Material::Ed25519(key),
                Check::Curve(curve),
            ) => UnparsedPublicKey::new(curve, key).verify(message, signature),
            _ => return false,
        };
        verified.is_ok()
    }
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    BASE64_URL_SAFE_NO_PAD.decode(value.as_str()?).ok()
}

/// Reads a number; some providers write zeros before it.
fn number(value: &Value) -> Option<Vec<u8>> {
    let bytes = bytes(value)?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    Some(bytes.get(zeros..)?.to_vec())
}

/// Reads a point of a curve, in the uncompressed form.
fn point(value: &Value, size: usize) -> Option<Vec<u8>> {
    let (x, y) = (bytes(&value["x"])?, bytes(&value["y"])?);
    (x.len() == size && y.len() == size).then(|| [vec![4], x, y].concat())
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn only_keys_that_check_signatures_are_read() {
        let x = BASE64_URL_SAFE_NO_PAD.encode([7; 32]);
        let good = json!({ "kty": "OKP", "crv": "Ed25519", "x": x, "kid": "a" });
        let mut set = vec![good.clone()];
        for (name, value) in [
            ("use", json!("enc")),
            ("key_ops", json!(["encrypt"])),
            ("alg", json!("HS256")),
            ("kty", json!("oct")),
            ("crv", json!("X25519")),
            ("x", json!("not base64!")),
        ] {
            let mut other = good.clone();
            other[name] = value;
            set.push(other);
        }
        let keys = read_set(json!({ "keys": set }).to_string().as_bytes()).unwrap();
        assert_eq!(keys.len(), 1);
        for (algorithm, kid, count) in [
            (Algorithm::EdDsa, Some("a"), 1),
            (Algorithm::EdDsa, None, 1),
            (Algorithm::EdDsa, Some("b"), 0),
            (Algorithm::Es256, Some("a"), 0),
            (Algorithm::Rs256, Some("a"), 0),
        ] {
            assert_eq!(candidates(&keys, algorithm, kid).len(), count, "{algorithm:?} {kid:?}");
        }
    }

    #[test]
    fn a_set_without_a_usable_key_says_so() {
        for text in ["", "[]", "{}", r#"{"keys": {}}"#, r#"{"keys": []}"#, r#"{"keys": [1, {}]}"#] {
            assert!(read_set(text.as_bytes()).is_err(), "{text}");
        }
    }
}
