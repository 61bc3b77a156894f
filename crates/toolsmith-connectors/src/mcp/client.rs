//! What we answer when a server asks or tells us something.
//!
//! A question belongs to the call in which it is asked, and is put to whoever made that call. Where
//! nobody can be asked it is declined at once, so that the server can go on; nothing waits.

#![expect(
    deprecated,
    reason = "the newest revision gives up logs and roots, and older servers still send and ask for them"
)]

use std::{borrow::Cow, sync::Arc};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode,
        FormElicitationCapability, Implementation, ListRootsResult, LoggingLevel,
        LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion,
        RootsCapabilities, SamplingCapability, UrlElicitationCapability,
    },
    service::{InboundStreamOrigin, NotificationContext, RequestContext},
};
use tokio::sync::Notify;
use toolsmith_core::ToolContext;

use super::{asking, routes::Routes, settings::ServerSettings, surroundings::Sampling};

/// How much of a log message is handed on, in characters.
const LOGGED: usize = 2_000;

/// The code of an answer that a person or a program refused to give.
const REFUSED: ErrorCode = ErrorCode(-1);

/// Our end of a session.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) settings: ServerSettings,
    pub(super) sampling: Sampling,
    pub(super) routes: Arc<Routes>,
    /// Rung when the server says that its tools have changed.
    pub(super) changes: Arc<Notify>,
}

impl Client {
    /// Lets the call that a question belongs to answer it, for as long as both last.
    async fn during_its_call<T>(
        &self,
        context: &RequestContext<RoleClient>,
        answer: impl AsyncFnOnce(ToolContext) -> T,
    ) -> Result<T, &'static str> {
        let origin = context.extensions.get::<InboundStreamOrigin>();
        let (token, cx) = self.routes.asker(origin).await.map_err(|unclear| {
            self.routes.note_unanswered();
            unclear.reason()
        })?;
        tokio::select! {
            answer = answer(cx) => Ok(answer),
            () = self.routes.left(&token) => Err("the call is over"),
            () = context.ct.cancelled() => Err("the question was taken back"),
        }
    }
}

impl ClientHandler for Client {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let server = &self.settings.name;
        let answer = async |cx: ToolContext| asking::elicit(&cx, server, request).await;
        let answer = self.during_its_call(&context, answer).await;
        Ok(answer.unwrap_or_else(|why| asking::declined(server, why)))
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        if self.sampling == Sampling::NotOffered {
            return Err(not_supported("sampling"));
        }
        let answer = async |cx: ToolContext| asking::sample(&cx, request).await;
        match self.during_its_call(&context, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(ErrorData::new(REFUSED, error.message().to_owned(), None)),
            Err(why) => Err(ErrorData::new(REFUSED, why, None)),
        }
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        if self.settings.roots.is_empty() {
            return Err(not_supported("roots"));
        }
        Ok(asking::roots(&self.settings))
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
        log(&self.settings.name, &message);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changes.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("toolsmith", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(self.capabilities(), us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

impl Client {
    /// Says what we can be asked.
    fn capabilities(&self) -> ClientCapabilities {
        let elicitation = ElicitationCapability::new()
            .with_form(FormElicitationCapability::default())
            .with_url(UrlElicitationCapability::default());
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(elicitation);
        if self.sampling == Sampling::Offered {
            capabilities.sampling = Some(SamplingCapability::default());
        }
        if !self.settings.roots.is_empty() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        capabilities
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
