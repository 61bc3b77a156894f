//! Tokens of `OAuth` 2 for a program that acts for itself (RFC 6749, section 4.4).

use std::time::Duration;

use parking_lot::Mutex;
use tokio::{sync::Semaphore, time::Instant};
use toolsmith_core::{Fields, Secret, Template, ToolError, Value, Vault};
use toolsmith_net::{Client, Request};
use url::form_urlencoded::Serializer;

use super::auth::{basic, needed, secret};
use crate::texts;

/// How long a token is used when the server does not say.
const USUAL: Duration = Duration::from_mins(5);

/// How long before its end a token is no longer used, so that it does not end on the way.
const EARLY: Duration = Duration::from_secs(30);

/// What a program shows to get a token for itself.
#[derive(Clone, Debug)]
pub struct ClientCredentials {
    /// Where tokens are given.
    pub token_url: Template,
    /// Who asks.
    pub client_id: Template,
    /// What proves it.
    pub client_secret: Template,
    /// What the token shall be good for.
    pub scope: Option<Template>,
    /// Whom the token shall be shown to.
    pub audience: Option<Template>,
}

/// Fetches a token, keeps it until it ends, and fetches it once however many calls wait for it.
#[derive(Debug)]
pub(crate) struct TokenSource {
    client: ClientCredentials,
    place: Place,
    kept: Mutex<Option<Kept>>,
    /// The turn to fetch: one at a time.
    turn: Semaphore,
}

/// Where the client's own credentials stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Header,
    Body,
}

#[derive(Clone, Debug)]
struct Kept {
    token: Secret,
    until: Instant,
}

impl TokenSource {
    /// Takes what is shown, in the header that RFC 6749 asks for.
    pub(crate) fn new(client: ClientCredentials) -> Self {
        Self { client, place: Place::Header, kept: Mutex::new(None), turn: Semaphore::new(1) }
    }

    /// Reads the keys of `auth` besides `type`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Self {
        let place = match fields.word("client_auth", &["header", "body"]) {
            Some("body") => Place::Body,
            _ => Place::Header,
        };
        // The flow may be named, and there is only this one.
        fields.word("grant_type", &["client_credentials"]);
        let client = ClientCredentials {
            token_url: needed(fields, "token_url"),
            client_id: needed(fields, "client_id"),
            client_secret: secret(fields, "client_secret"),
            scope: texts::template(fields, "scope"),
            audience: texts::template(fields, "audience"),
        };
        Self { place, ..Self::new(client) }
    }

    /// Returns a token that is still good, fetched when there is none.
    pub(crate) async fn token(&self, client: &Client, vault: &Vault) -> Result<Secret, ToolError> {
        if let Some(token) = self.good() {
            return Ok(token);
        }
        let _turn = self.turn.acquire().await;
        // Whoever had the turn before may have brought one.
        if let Some(token) = self.good() {
            return Ok(token);
        }
        let kept = self.fetch(client, vault).await?;
        vault.redactor().add(&kept.token);
        let token = kept.token.clone();
        *self.kept.lock() = Some(kept);
        Ok(token)
    }

    /// Forgets a token that was refused; one that another call has brought since is kept.
    pub(super) fn forget(&self, refused: &Secret) {
        self.kept.lock().take_if(|kept| kept.token == *refused);
    }

    /// Forgets whatever token is kept.
    pub(crate) fn forget_any(&self) {
        *self.kept.lock() = None;
    }

    fn good(&self) -> Option<Secret> {
        let kept = self.kept.lock();
        kept.as_ref().filter(|kept| Instant::now() < kept.until).map(|kept| kept.token.clone())
    }

    async fn fetch(&self, client: &Client, vault: &Vault) -> Result<Kept, ToolError> {
        let answer = client.send(self.request(vault)?).await?.into_success(vault.redactor());
        let answer = answer.map_err(|error| {
            let error = error.into_tool_error();
            let message = format!("No access token was given. {}", error.message());
            error.with_message(message)
        })?;
        read(&answer.body)
    }

    fn request(&self, vault: &Vault) -> Result<Request, ToolError> {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        for (name, value) in [("scope", &self.client.scope), ("audience", &self.client.audience)] {
            if let Some(value) = value {
                form.append_pair(name, vault.fill(value)?.expose());
            }
        }
        if self.place == Place::Body {
            form.append_pair("client_id", vault.fill(&self.client.client_id)?.expose());
            form.append_pair("client_secret", vault.fill(&self.client.client_secret)?.expose());
        }
        let url = vault.fill(&self.client.token_url)?.expose().clone();
        let request = Request::post(url, "application/x-www-form-urlencoded", form.finish());
        let mut request = request.trusted().with_header("accept", "application/json")?;
        if self.place == Place::Header {
            let value = basic(vault, &self.client.client_id, &self.client.client_secret)?;
            request = request.with_secret_header("authorization", &value)?;
        }
        // A token server that leads elsewhere would lead our credentials there.
        request.max_redirects = Some(0);
        Ok(request)
    }
}

/// The longest token that is taken, in bytes: a header has to hold it.
const LONGEST: usize = 32 * 1024;

fn read(body: &[u8]) -> Result<Kept, ToolError> {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let Some(token) = answer.get("access_token").and_then(Value::as_str) else {
        return Err(ToolError::upstream(
            "The token server gave no access token. Check the tool's `auth`.",
        ));
    };
    if token.len() > LONGEST {
        return Err(ToolError::upstream(format!(
            "The token server gave a token of more than {LONGEST} bytes, which is not used."
        )));
    }
    let lasts = answer.get("expires_in").and_then(|seconds| match seconds {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    });
    let lasts = lasts.map_or(USUAL, Duration::from_secs);
    // Of a short life at least half is used.
    let used = lasts.saturating_sub(EARLY).max(lasts / 2);
    let until = Instant::now().checked_add(used).unwrap_or_else(Instant::now);
    Ok(Kept { token: Secret::new(token.to_owned()), until })
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn a_token_that_another_call_has_renewed_is_kept() {
        let auth =
            json!({ "token_url": "https://a.example", "client_id": "i", "client_secret": "s" });
        let source = TokenSource::read(&mut Fields::of(&auth, "").unwrap());
        let secret = |text: &str| Secret::new(text.to_owned());
        let until = Instant::now() + USUAL;
        *source.kept.lock() = Some(Kept { token: secret("renewed"), until });
        source.forget(&secret("refused"));
        assert_eq!(source.good(), Some(secret("renewed")));
        source.forget(&secret("renewed"));
        assert_eq!(source.good(), None);
    }
}
