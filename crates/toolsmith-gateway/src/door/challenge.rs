//! What a client is told that could get a token: where, and for which scope (RFC 6750, RFC 9728).

use axum::http::HeaderValue;
use toolsmith_core::Role;

use super::Tokens;
use crate::Gateway;

/// Where this server says who issues tokens for it.
pub(crate) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What is wrong with a request, in the words of RFC 6750.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// It showed nothing.
    Nothing,
    /// It showed something that does not open the door.
    Token,
    /// Its token allows less than this needs; the role that would do.
    Scope(Role),
}

/// Returns what `WWW-Authenticate` says; nothing when no tokens open this door.
pub(super) fn challenge(
    gateway: &Gateway,
    host: Option<&HeaderValue>,
    path: &str,
    wrong: Wrong,
) -> Option<HeaderValue> {
    let tokens = gateway.0.door.tokens.as_ref()?;
    let described = format!("{}{WELL_KNOWN}{}", base(gateway, host)?, resource_path(path));
    let scopes = wanted(tokens, wrong).join(" ");
    let mut text = format!("Bearer resource_metadata=\"{described}\"");
    if !scopes.is_empty() {
        text = format!("{text}, scope=\"{scopes}\"");
    }
    match wrong {
        Wrong::Nothing => {}
        Wrong::Token => text += ", error=\"invalid_token\"",
        Wrong::Scope(_) => text += ", error=\"insufficient_scope\"",
    }
    HeaderValue::try_from(text).ok()
}

fn wanted(tokens: &Tokens, wrong: Wrong) -> Vec<&str> {
    match wrong {
        Wrong::Nothing | Wrong::Token => tokens.scopes(&[Role::Viewer, Role::Caller]),
        Wrong::Scope(role) => tokens.scopes(&[role]),
    }
}

/// Returns the part of an address that names a resource of its own: those of MCP clients.
fn resource_path(path: &str) -> &str {
    if path == "/mcp" || path.starts_with("/mcp/") { path } else { "" }
}

/// Returns how clients reach this server: as it is set, or by the name that a request used.
///
/// That name was checked before: it is one that this server has.
pub(crate) fn base(gateway: &Gateway, host: Option<&HeaderValue>) -> Option<String> {
    if let Some(url) = &gateway.0.config.public_url {
        return Some(url.trim_end_matches('/').to_owned());
    }
    let scheme = if gateway.0.config.tls.is_some() { "https" } else { "http" };
    let host = host?.to_str().ok()?;
    Some(format!("{scheme}://{host}"))
}
