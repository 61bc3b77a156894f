//! How a request shows who sends it.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolsmith_core::{Fields, Secret, Template, ToolError, Vault};
use toolsmith_net::{Client, Request, Url};
use url::form_urlencoded::byte_serialize;

use super::{
    address::percent,
    request::{Showing, with_cookies},
    slot,
    style::cookie_safe,
    token::TokenSource,
};
use crate::texts;

/// How a request shows who sends it.
#[derive(Debug)]
pub(super) enum Auth {
    Nobody,
    KeyInHeader { name: String, value: Template },
    KeyInQuery { name: String, value: Template },
    KeyInCookie { name: String, value: Template },
    Bearer(Template),
    Basic { username: Template, password: Template },
    Oauth2(TokenSource),
}

/// A request that shows who sends it.
#[derive(Debug)]
pub(super) struct Signed {
    pub(super) request: Request,
    /// The token in it that was fetched, and that another can replace.
    pub(super) token: Option<Secret>,
}

const TYPES: [&str; 4] = ["api_key", "bearer", "basic", "oauth2"];

/// The keys of all types together.
const KEYS: [&str; 12] = [
    "in",
    "name",
    "value",
    "token",
    "username",
    "password",
    "token_url",
    "client_id",
    "client_secret",
    "client_auth",
    "scope",
    "audience",
];

impl Auth {
    /// Reads the key `auth` of an entry.
    pub(super) fn read(entry: &mut Fields<'_>) -> Self {
        let Some(mut fields) = entry.enter("auth") else { return Self::Nobody };
        let auth = match fields.word("type", &TYPES) {
            Some("api_key") => api_key(&mut fields),
            Some("bearer") => Self::Bearer(secret(&mut fields, "token")),
            Some("basic") => Self::Basic {
                username: needed(&mut fields, "username"),
                password: secret(&mut fields, "password"),
            },
            Some(_) => Self::Oauth2(TokenSource::read(&mut fields)),
            None => {
                if fields.any("type").is_none() {
                    fields.miss("type", "one of `api_key`, `bearer`, `basic`, `oauth2`");
                }
                // Which other keys belong here depends on the type, so none is complained about.
                for key in KEYS {
                    fields.any(key);
                }
                Self::Nobody
            }
        };
        entry.leave(fields);
        auth
    }

    /// Adds what shows who we are; values are looked up here and nowhere else.
    pub(super) async fn sign(
        &self,
        client: &Client,
        vault: &Vault,
        request: Request,
    ) -> Result<Signed, ToolError> {
        let request = match self {
            Self::Nobody => request,
            Self::KeyInHeader { name, value } => {
                request.with_secret_header(name, &vault.fill(value)?)?
            }
            Self::KeyInQuery { name, value } => {
                let key = vault.fill(value)?;
                learn_spellings(vault, key.expose());
                with_pair(request, name, key.expose())?
            }
            Self::KeyInCookie { name, value } => {
                let key = vault.fill(value)?;
                learn_spellings(vault, key.expose());
                let pair = format!("{name}={}", cookie_safe(key.expose()));
                with_cookies(request, &[pair], Showing::Never)?
            }
            Self::Bearer(token) => bearer(request, vault.fill(token)?.expose())?,
            Self::Basic { username, password } => {
                let value = basic(vault, username, password)?;
                request.with_secret_header("authorization", &value)?
            }
            Self::Oauth2(source) => {
                let token = source.token(client, vault).await?;
                let request = bearer(request, token.expose())?;
                return Ok(Signed { request, token: Some(token) });
            }
        };
        Ok(Signed { request, token: None })
    }

    /// Forgets a token that was not accepted.
    pub(super) fn forget(&self, refused: &Secret) {
        if let Self::Oauth2(source) = self {
            source.forget(refused);
        }
    }
}

/// Writes the value of a basic authorization; its spelling is a secret of its own.
pub(super) fn basic(
    vault: &Vault,
    username: &Template,
    password: &Template,
) -> Result<Secret, ToolError> {
    let (username, password) = (vault.fill(username)?, vault.fill(password)?);
    let encoded = STANDARD.encode(format!("{}:{}", username.expose(), password.expose()));
    vault.redactor().add(&Secret::new(encoded.clone()));
    Ok(Secret::new(format!("Basic {encoded}")))
}

/// Reads a text that must be there.
pub(super) fn needed(fields: &mut Fields<'_>, key: &'static str) -> Template {
    if fields.any(key).is_none() {
        fields.miss(key, "it is needed for this kind of authorization");
    }
    texts::template(fields, key).unwrap_or_else(|| Template::literal(""))
}

/// Reads a secret that must be there.
pub(super) fn secret(fields: &mut Fields<'_>, key: &'static str) -> Template {
    needed(fields, key).into_secret()
}

fn api_key(fields: &mut Fields<'_>) -> Auth {
    let value = secret(fields, "value");
    let place = fields.word("in", &["header", "query", "cookie"]).unwrap_or("header");
    let name = texts::literal(fields, "name").map(str::to_owned);
    match (place, name) {
        ("query", name) => {
            Auth::KeyInQuery { name: name.unwrap_or_else(|| "api_key".to_owned()), value }
        }
        ("cookie", name) => {
            let name = name.unwrap_or_else(|| "api_key".to_owned());
            if !slot::is_cookie_name(&name) {
                fields.blame("name", format!("`{name}` is no name of a cookie"));
            }
            Auth::KeyInCookie { name, value }
        }
        (_, name) => {
            Auth::KeyInHeader { name: name.unwrap_or_else(|| "X-API-Key".to_owned()), value }
        }
    }
}

fn bearer(request: Request, token: &str) -> Result<Request, ToolError> {
    let value = Secret::new(format!("Bearer {token}"));
    Ok(request.with_secret_header("authorization", &value)?)
}

/// Makes the spellings known that a key has inside an address: servers show it in their complaints.
fn learn_spellings(vault: &Vault, key: &str) {
    let in_query: String = byte_serialize(key.as_bytes()).collect();
    for spelling in [in_query, percent(key)].into_iter().filter(|spelling| spelling != key) {
        vault.redactor().add(&Secret::new(spelling));
    }
}

fn with_pair(mut request: Request, name: &str, value: &str) -> Result<Request, ToolError> {
    let mut url = Url::parse(&request.url)
        .map_err(|error| ToolError::failed("The address cannot be read.").with_source(error))?;
    url.query_pairs_mut().append_pair(name, value);
    request.url = url.into();
    Ok(request)
}
