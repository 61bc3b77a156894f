//! What we answer when a server asks or tells us something.
//!
//! Nobody sits at this end who could be asked, so we say beforehand that we take no questions
//! (elicitation, sampling, roots). A server that asks all the same gets its refusal at once and can
//! go on; nothing waits.

#![expect(
    deprecated,
    reason = "the newest revision gives up logs and roots, and older servers still send and ask for them"
)]

use std::{borrow::Cow, sync::Arc};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
        ErrorCode, Implementation, ListRootsResult, LoggingLevel, LoggingMessageNotificationParam,
        ProgressNotificationParam, ProtocolVersion,
    },
    service::{NotificationContext, RequestContext},
};
use tokio::sync::Notify;

use super::routes::Routes;

/// How much of a log message is handed on, in characters.
const LOGGED: usize = 2_000;

/// Our end of a session.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) server: String,
    pub(super) routes: Arc<Routes>,
    /// Rung when the server says that its tools have changed.
    pub(super) changes: Arc<Notify>,
}

impl ClientHandler for Client {
    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tracing::info!(server = self.server, "declined a question of an MCP server");
        Ok(ElicitResult::new(ElicitationAction::Decline))
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(not_supported("roots"))
    }

    async fn on_progress(
        &self,
        note: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.routes.deliver(note);
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        log(&self.server, &message);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("toolsmith", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

fn not_supported(what: &str) -> ErrorData {
    let message = Cow::Owned(format!("{what}: not supported by this client"));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn log(server: &str, message: &LoggingMessageNotificationParam) {
    let text = match &message.data {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text: String = text.chars().take(LOGGED).collect();
    match message.level {
        LoggingLevel::Debug => tracing::trace!(server, "{text}"),
        LoggingLevel::Info | LoggingLevel::Notice => tracing::debug!(server, "{text}"),
        LoggingLevel::Warning => tracing::info!(server, "{text}"),
        // What a server takes for an error is no error of ours.
        _ => tracing::warn!(server, "{text}"),
    }
}
