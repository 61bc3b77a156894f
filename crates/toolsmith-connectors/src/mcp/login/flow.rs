//! A login: somebody agrees in a browser, and the tokens are kept.

use std::sync::Arc;

use rmcp::transport::auth::{AuthError, AuthorizationRequest, AuthorizationSession};
use tokio::net::TcpListener;
use toolsmith_core::{Secret, Template, ToolError};

use super::{
    desk::{Desk, not_possible},
    redirect::{self, Redirected},
    store::Store,
};
use crate::mcp::server::Server;

/// What we are called where we register.
const OUR_NAME: &str = "Toolsmith";

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
    pub(in crate::mcp) async fn begin(server: Arc<Server>) -> Result<Self, ToolError> {
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

fn no_port(error: std::io::Error) -> ToolError {
    ToolError::failed("No port of this machine can be listened on.").with_source(error)
}
