//! What logins and sessions need of a server: its address, its tokens, and the library's part.

use std::{path::Path, sync::Arc};

use rmcp::transport::auth::{AuthClient, AuthError, AuthorizationManager, OAuthClientConfig};
use toolsmith_core::{Advice, ToolError, json};
use toolsmith_net::{Guard, NetError, Url};

use super::{guarded::Guarded, store::Store};
use crate::mcp::{
    settings::{Address, Link, ServerSettings},
    surroundings::Surroundings,
    wire::Wire,
};

/// Forgets the tokens of a server; says whether there were any.
pub(in crate::mcp) fn forget(
    settings: &ServerSettings,
    surroundings: &Surroundings,
) -> Result<bool, ToolError> {
    let (address, folder) = place(settings, surroundings)?;
    let url = surroundings.vault.fill(&address.url)?;
    Store::at(folder, settings, url.expose(), surroundings.vault.redactor()).forget()
}

/// Returns connections that show the tokens of a server; nothing when nobody has logged in.
pub(in crate::mcp) async fn client(
    settings: &ServerSettings,
    surroundings: &Surroundings,
    wire: Wire,
) -> Result<Option<AuthClient<Wire>>, ToolError> {
    if surroundings.memory.is_none() {
        return Ok(None);
    }
    let Desk { store, mut manager, .. } = Desk::of(settings, surroundings).await?;
    let Some(kept) = store.kept() else { return Ok(None) };
    let failed = |error: AuthError| not_possible(&settings.name, &error);
    if let Some(metadata) = kept.metadata {
        manager.set_metadata(metadata);
    }
    if !manager.initialize_from_store().await.map_err(failed)? {
        return Ok(None);
    }
    if let (Some(secret), Some(credentials)) = (kept.client_secret, kept.credentials) {
        // The redirect is not used any more, and has to be some address.
        let config = OAuthClientConfig::new(credentials.client_id, "http://127.0.0.1/callback");
        manager.configure_client(config.with_client_secret(secret)).map_err(failed)?;
    }
    Ok(Some(AuthClient::new(wire, manager)))
}

/// What the two ends of a login have in common.
pub(super) struct Desk<'a> {
    pub(super) store: Store,
    pub(super) manager: AuthorizationManager,
    pub(super) address: &'a Address,
}

impl<'a> Desk<'a> {
    pub(super) async fn of(
        settings: &'a ServerSettings,
        surroundings: &'a Surroundings,
    ) -> Result<Self, ToolError> {
        let (address, folder) = place(settings, surroundings)?;
        let url = surroundings.vault.fill(&address.url)?.expose().clone();
        let checked = surroundings.net.check(&url, Guard::Trusted);
        let base: Url = checked.map_err(NetError::into_tool_error)?;
        let store = Store::at(folder, settings, &url, surroundings.vault.redactor());
        let guarded = Guarded::new(surroundings.net.clone(), &base);
        let made = AuthorizationManager::new_with_oauth_http_client(base, Arc::new(guarded)).await;
        let mut manager = made.map_err(|error| not_possible(&settings.name, &error))?;
        manager.set_credential_store(store.clone());
        Ok(Self { store, manager, address })
    }
}

fn place<'a>(
    settings: &'a ServerSettings,
    surroundings: &'a Surroundings,
) -> Result<(&'a Address, &'a Path), ToolError> {
    let name = &settings.name;
    let Link::Http(address) = &settings.link else {
        let message = format!("The MCP server `{name}` is a program; nobody logs in to it.");
        return Err(ToolError::failed(message));
    };
    let Some(folder) = &surroundings.memory else {
        return Err(ToolError::failed("There is no data folder in which tokens could be kept."));
    };
    Ok((address, folder))
}

/// Says why a login did not come about, without what the other end wrote.
pub(super) fn not_possible(server: &str, error: &AuthError) -> ToolError {
    let why = match error {
        AuthError::RegistrationFailed(_) => {
            "it does not register us by itself. Register a client there, and set `client_id` in its \
             `auth`"
        }
        AuthError::PkceUnsupported => "it does not know PKCE, without which a login is not safe",
        AuthError::TokenExchangeFailed(_) => "no token was given for the login. Try it again",
        AuthError::AuthorizationServerMismatch { .. }
        | AuthError::AuthorizationServerMissingIssuer { .. } => {
            "another than the expected server answered the login"
        }
        AuthError::CredentialStoreError(_) => "the tokens cannot be kept in the data folder",
        AuthError::MetadataError(_) | AuthError::NoAuthorizationSupport => {
            "what it says about logging in is not right"
        }
        _ => "the server that gives tokens could not be asked",
    };
    ToolError::upstream(format!("Logging in to the MCP server `{server}` failed: {why}."))
        .with_advice(Advice::Final)
        .with_details(json!({ "server": server }))
        .with_source(error.to_string())
}
