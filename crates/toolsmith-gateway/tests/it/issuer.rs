//! An issuer of tokens: real keys, and a server that publishes them.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{Router, extract::State, http::StatusCode, response::IntoResponse, routing::get};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
        RSA_PSS_SHA256, RsaKeyPair, RsaPublicKeyComponents,
    },
};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use tokio::net::TcpListener;
use toolsmith_core::{Value, json};
use toolsmith_gateway::{Doorkeeper, Issuer, Tokens, WithoutKey};
use toolsmith_net::{Client, Settings};

/// Whom the tokens of the tests are for.
pub(crate) const AUDIENCE: &str = "https://tools.example/mcp";

const RSA: &[u8] = include_bytes!("fixtures/issuer_rsa.pem");

/// A key that signs.
pub(crate) struct Signer {
    pub(crate) kid: &'static str,
    pub(crate) algorithm: &'static str,
    key: Pair,
}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    pub(crate) fn rsa(kid: &'static str, algorithm: &'static str) -> Self {
        let der = PrivatePkcs8KeyDer::from_pem_slice(RSA).unwrap();
        let pair = RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()).unwrap();
        Self { kid, algorithm, key: Pair::Rsa(Box::new(pair)) }
    }

    pub(crate) fn p256(kid: &'static str) -> Self {
        let (random, signing) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let der = EcdsaKeyPair::generate_pkcs8(signing, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(signing, der.as_ref(), &random).unwrap();
        Self { kid, algorithm: "ES256", key: Pair::P256(pair) }
    }

    pub(crate) fn ed(kid: &'static str) -> Self {
        let der = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(der.as_ref()).unwrap();
        Self { kid, algorithm: "EdDSA", key: Pair::Ed(pair) }
    }

    /// Returns the public half.
    pub(crate) fn public(&self) -> Value {
        let text = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let mut key = match &self.key {
            Pair::Rsa(pair) => {
                let public: RsaPublicKeyComponents<Vec<u8>> = pair.public().into();
                json!({ "kty": "RSA", "n": text(&public.n), "e": text(&public.e) })
            }
            Pair::P256(pair) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({ "kty": "EC", "crv": "P-256", "x": text(x), "y": text(y) })
            }
            Pair::Ed(pair) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": text(pair.public_key().as_ref()) })
            }
        };
        (key["kid"], key["use"]) = (json!(self.kid), json!("sig"));
        key
    }

    /// Signs claims.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        let head = json!({ "alg": self.algorithm, "kid": self.kid, "typ": "JWT" });
        self.sign_text(&head.to_string(), &claims.to_string())
    }

    /// Signs texts as they are.
    pub(crate) fn sign_text(&self, head: &str, claims: &str) -> String {
        let message = unsigned(head, claims);
        let signature = self.signature(message.as_bytes());
        format!("{message}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding: &dyn ring::signature::RsaEncoding =
                    if self.algorithm == "PS256" { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                pair.sign(padding, &random, message, &mut signature).unwrap();
                signature
            }
            Pair::P256(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Pair::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }
}

/// Returns the part of a token that is signed.
pub(crate) fn unsigned(head: &str, claims: &str) -> String {
    let part = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}", part(head), part(claims))
}

/// A server that publishes keys.
#[derive(Clone)]
pub(crate) struct Published(Arc<Shared>);

struct Shared {
    address: SocketAddr,
    keys: Mutex<Vec<Value>>,
    is_down: AtomicBool,
    fetches: AtomicUsize,
}

impl Published {
    pub(crate) async fn start(signers: &[&Signer]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let this = Self(Arc::new(Shared {
            address,
            keys: Mutex::default(),
            is_down: AtomicBool::new(false),
            fetches: AtomicUsize::new(0),
        }));
        this.publish(signers);
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(keys))
            .with_state(this.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        this
    }

    pub(crate) fn publish(&self, signers: &[&Signer]) {
        *self.0.keys.lock() = signers.iter().map(|signer| signer.public()).collect();
    }

    pub(crate) fn set_down(&self, is_down: bool) {
        self.0.is_down.store(is_down, SeqCst);
    }

    /// Returns how often the keys were fetched.
    pub(crate) fn fetches(&self) -> usize {
        self.0.fetches.load(SeqCst)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Returns an issuer that trusts it, and tries again at once.
    pub(crate) fn issuer(&self) -> Issuer {
        Issuer { pause: Duration::ZERO, ..Issuer::new(self.url(), AUDIENCE) }
    }

    /// Returns a door that its tokens open.
    pub(crate) fn door(&self) -> Doorkeeper {
        door(vec![self.issuer()])
    }

    /// Returns the claims of a good token, with a scope.
    pub(crate) fn claims(&self, scope: &str) -> Value {
        let exp = now() + 600;
        json!({ "iss": self.url(), "aud": AUDIENCE, "sub": "ann", "exp": exp, "scope": scope })
    }
}

/// Returns a door that tokens of issuers open.
pub(crate) fn door(issuers: Vec<Issuer>) -> Doorkeeper {
    let client = Client::new(Settings::default()).unwrap();
    let tokens = Some(Tokens::new(issuers, &client));
    Doorkeeper { tokens, without_key: WithoutKey::Refused, ..Doorkeeper::local() }
}

#[expect(clippy::disallowed_methods, reason = "tokens end by the clock of the wall")]
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

async fn describe(State(this): State<Published>) -> impl IntoResponse {
    let status = this.status();
    let url = this.url();
    (status, json!({ "issuer": url, "jwks_uri": format!("{url}/keys") }).to_string())
}

async fn keys(State(this): State<Published>) -> impl IntoResponse {
    this.0.fetches.fetch_add(1, SeqCst);
    (this.status(), json!({ "keys": *this.0.keys.lock() }).to_string())
}

impl Published {
    fn status(&self) -> StatusCode {
        let is_down = self.0.is_down.load(SeqCst);
        if is_down { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
    }
}
