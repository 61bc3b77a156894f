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
        ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
        ElicitResult, ErrorCode, Implementation, ListRootsResult, LoggingLevel,
        LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion,
        ResourceUpdatedNotificationParam,
    },
    service::{InboundStreamOrigin, NotificationContext, RequestContext},
};
use toolsmith_core::{Askable, ToolContext};

use super::{
    asking,
    behalf::capabilities,
    news::News,
    routes::Routes,
    settings::{Link, ServerSettings},
    surroundings::Sampling,
};

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
    /// What the server says has changed.
    pub(super) news: Arc<News>,
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
        let answer = async |cx: ToolContext| asking::elicit(&cx, server, None, request).await;
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
        let answer = async |cx: ToolContext| asking::sample(&cx, None, request).await;
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
        // What came over HTTP was seen on the way in, where it is known to which request it belongs.
        if matches!(self.settings.link, Link::Stdio(_))
            && let Ok(Ok(remark)) = serde_json::to_value(&message).map(serde_json::from_value)
        {
            self.routes.remark(None, remark);
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.news.note(|heard| heard.tools = true);
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.news.note(|heard| heard.resources = true);
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.news.note(|heard| heard.prompts = true);
    }

    async fn on_resource_updated(
        &self,
        update: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.news.updated(update.uri);
    }

    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("toolsmith", env!("CARGO_PKG_VERSION"));
        // Whoever calls may be asked for some things, and declines for who cannot be.
        let sampling = self.sampling == Sampling::Offered;
        let askable = Askable { form: true, visit: true, sampling, roots: false };
        ClientConfig::new(capabilities(askable, &self.settings), us)
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
