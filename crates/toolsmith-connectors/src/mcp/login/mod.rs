//! Logging in to servers that ask who we are: `OAuth` 2.1, authorization code with PKCE.
//!
//! The library knows the protocol; the sockets, the file of tokens and the listening are ours.
//! A person opens an address, agrees there, and is led back to a port of this machine.

mod guarded;
mod redirect;
mod store;

use std::{path::Path, sync::Arc};

use rmcp::transport::auth::{
    AuthClient, AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession,
    OAuthClientConfig,
};
use tokio::net::TcpListener;
use toolsmith_core::{Advice, Secret, Template, ToolError, json};
use toolsmith_net::{Guard, NetError, Url};

use self::{guarded::Guarded, redirect::Redirected, store::Store};
use super::{
    server::Server,
    settings::{Address, Link, ServerSettings},
    surroundings::Surroundings,
    wire::Wire,
};

/// What we are called where we register.
const OUR_NAME: &str = "Toolsmith";

/// A client that was registered by hand, for servers that do not register by themselves.
#[derive(Clone, Debug, Default)]
pub struct Registered {
    /// Who we are.
    pub client_id: Option<Template>,
    /// What proves it, where the server wants that.
    pub client_secret: Option<Template>,
    /// What the token shall be good for, words with spaces between.
    pub scope: Option<Template>,
}

/// A login under way: somebody has to open its address.
pub struct Login {
    server: Arc<Server>,
    session: AuthorizationSession,
    listener: TcpListener,
    store: Store,
    client_secret: Option<String>,
}

impl Login {
    /// Finds out where to log in, registers us there, and begins to listen.
    pub(super) async fn begin(server: Arc<Server>) -> Result<Self, ToolError> {
        let Desk { store, mut manager, address } =
            Desk::of(&server.settings, &server.surroundings).await?;
        let name = &server.settings.name;
        let failed = |error: AuthError| not_possible(name, &error);
        let found = manager.resolve_metadata().await.map_err(failed)?;
        if !found.source.is_discovered() {
            return Err(ToolError::failed(format!(
                "The MCP server `{name}` does not say where one logs in. It may want no login, or a \
                 token in its `headers`."
            )));
        }
        store.note_metadata(&found.metadata);
        manager.set_metadata(found.metadata);
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(no_port)?;
        let port = listener.local_addr().map_err(no_port)?.port();
        let mut request = AuthorizationRequest::new(format!("http://127.0.0.1:{port}/callback"))
            .with_client_name(OUR_NAME)
            .with_initial_scope_selection();
        let fill = |template: &Option<Template>| {
            let filled = template.as_ref().map(|text| server.surroundings.vault.fill(text));
            filled.transpose().map(|text| text.map(|text| text.expose().clone()))
        };
        let client_secret = fill(&address.login.client_secret)?;
        if let Some(id) = fill(&address.login.client_id)? {
            request = request.with_preregistered_client(id);
            request.client_secret.clone_from(&client_secret);
        }
        if let Some(scope) = fill(&address.login.scope)? {
            request = request.with_scopes(scope.split_whitespace());
        }
        let begun = Box::pin(AuthorizationSession::new(manager, request)).await;
        let session = begun.map_err(|(_, error)| failed(error))?;
        Ok(Self { server, session, listener, store, client_secret })
    }

    /// Returns the address that a person has to open.
    pub fn url(&self) -> &str {
        self.session.get_authorization_url()
    }

    /// Waits until the person has agreed or refused, and keeps the tokens.
    pub async fn wait(self) -> Result<(), ToolError> {
        let name = &self.server.settings.name;
        let state = redirect::state(self.url()).unwrap_or_default();
        let Redirected { code, issuer } =
            redirect::wait(&self.listener, &state).await.map_err(|why| {
                ToolError::denied(format!(
                    "The login to the MCP server `{name}` was refused: {why}."
                ))
            })?;
        self.server.surroundings.vault.redactor().add(&Secret::new(code.clone()));
        self.store.note_secret(self.client_secret.clone());
        let exchanged =
            Box::pin(self.session.handle_callback_with_issuer(&code, &state, issuer.as_deref()));
        exchanged.await.map_err(|error| not_possible(name, &error))?;
        // A session without the token, or with an older one, is of no use any more.
        self.server.stop().await;
        Ok(())
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("server", &self.server.settings.name).finish_non_exhaustive()
    }
}

/// Forgets the tokens of a server; says whether there were any.
pub(super) fn forget(
    settings: &ServerSettings,
    surroundings: &Surroundings,
) -> Result<bool, ToolError> {
    let (address, folder) = place(settings, surroundings)?;
    let url = surroundings.vault.fill(&address.url)?;
    Store::at(folder, settings, url.expose(), surroundings.vault.redactor()).forget()
}

/// Returns connections that show the tokens of a server; nothing when nobody has logged in.
pub(super) async fn client(
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
struct Desk<'a> {
    store: Store,
    manager: AuthorizationManager,
    address: &'a Address,
}

impl<'a> Desk<'a> {
    async fn of(
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

fn no_port(error: std::io::Error) -> ToolError {
    ToolError::failed("No port of this machine can be listened on.").with_source(error)
}

/// Says why a login did not come about, without what the other end wrote.
fn not_possible(server: &str, error: &AuthError) -> ToolError {
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
