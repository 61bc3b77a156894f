//! Calls to a server over HTTP, past the library's loops.
//!
//! The library hands a request through two loops and a task of its own to the connections, and the
//! answer all the way back. A call is sent by whoever makes it, who reads the answer too. What else
//! comes on the stream of an answer is handed to the library, as if it had been sent by that.

use std::{collections::HashSet, future::pending, sync::Arc};

use futures_util::{FutureExt, StreamExt};
use http::{StatusCode, header::CONTENT_TYPE};
use parking_lot::RwLock;
use rmcp::{
    RoleClient, ServiceError,
    model::{
        GetExtensions, JsonObject, JsonRpcMessage, ProtocolVersion, RequestId, ServerNotification,
        ServerResult,
    },
    service::InboundStreamOrigin,
    transport::{
        DynamicTransportError,
        streamable_http_client::{StreamableHttpClient, StreamableHttpError},
    },
};
use sse_stream::Sse;
use tokio::{sync::mpsc, time::sleep};
use toolsmith_core::{Secret, Value};
use toolsmith_net::{Answer as HttpAnswer, HeaderName, HeaderValue, Message as HttpMessage};

use super::{
    answers::{self, Message},
    calls::{Answer, Calls},
    events::{Events, events, listen},
    joined::{Ends, Joined},
    keeper::Chore,
    listing::Listing,
    place::Place,
    refusals::Refusal,
    session::Unanswered,
    wire::{EVENTS, Headers, HttpError, JSON, LONGEST_MESSAGE, Wire, read},
};

/// Names the revision that a message is of.
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Names the method of a request, where requests stand for themselves.
const METHOD: HeaderName = HeaderName::from_static("mcp-method");

/// Names the tool of a call, where requests stand for themselves.
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Marks an argument that stands in a header too.
const MARK: &str = "x-mcp-header";

/// What a value in a header begins with that is not meant as it stands.
const ENCODED: &str = "=?base64?";

/// What calls need besides the transport of their session.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) wire: Wire,
    /// Where every message goes.
    pub(super) uri: Arc<str>,
    /// What the operator has every message carry.
    pub(super) headers: Headers,
    pub(super) token: Option<Secret>,
    pub(super) ends: Ends,
}

/// The way of calls to a server over HTTP.
#[derive(Debug)]
pub(super) struct Posts {
    line: Line,
    session: Option<Arc<str>>,
    /// A request without what is a call's own.
    template: HttpMessage,
    /// Whether requests stand for themselves, with their tools in their headers.
    names_tools: bool,
    /// The tools with arguments that stand in headers, which the library sees to.
    marked: RwLock<HashSet<String>>,
    chores: mpsc::UnboundedSender<Chore>,
}

impl Posts {
    /// Prepares the calls of a session that was opened; nothing when they cannot be.
    pub(super) fn new(
        mut line: Line,
        revision: &ProtocolVersion,
        chores: mpsc::UnboundedSender<Chore>,
    ) -> Option<Self> {
        let session = line.wire.session.get().cloned();
        line.headers.insert(REVISION, HeaderValue::from_str(revision.as_str()).ok()?);
        let token = line.token.as_ref().map(|token| token.expose().to_owned());
        let request = line.wire.request(&line.uri, line.headers.clone(), session.as_deref(), token);
        let mut template = request.build().ok()?;
        let names_tools = !revision.has_initialize();
        if names_tools {
            template.headers_mut().insert(METHOD, HeaderValue::from_static("tools/call"));
        }
        let marked = RwLock::default();
        Some(Self { line, session, template, names_tools, marked, chores })
    }

    /// Takes note of the tools that the server lists.
    pub(super) fn note(&self, listing: &Listing) {
        if self.names_tools {
            let marked = listing.tools.iter().filter(|(_, tool)| is_marked(&tool.input_schema));
            *self.marked.write() = marked.map(|(name, _)| name.clone()).collect();
        }
    }

    /// Tells whether calls of a tool can be made here.
    pub(super) fn takes(&self, tool: &str) -> bool {
        if !self.names_tools {
            return true;
        }
        let is_plain = tool.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain && !tool.starts_with(ENCODED) && !self.marked.read().contains(tool)
    }

    /// Tells whether no answer comes any more.
    pub(super) fn is_over(&self) -> bool {
        self.line.ends.calls.is_over()
    }

    /// Makes a call; its body is written already.
    pub(super) async fn call(
        &self,
        number: i64,
        tool: &str,
        body: Vec<u8>,
    ) -> Result<ServerResult, Unanswered> {
        let calls = &*self.line.ends.calls;
        let Some(told) = calls.enter(number) else { return Err(Unanswered::Unsent) };
        let _entered = Entered { calls, number };
        let answer = tokio::select! {
            biased;
            answer = self.exchange(number, tool, body) => answer,
            // It came on another stream, or the session is over.
            told = told => told.map_err(|_| ServiceError::TransportClosed),
        };
        let answer = answer.and_then(|answer| answer.map_err(ServiceError::McpError));
        answer.map_err(Unanswered::Service)
    }

    async fn exchange(
        &self,
        number: i64,
        tool: &str,
        body: Vec<u8>,
    ) -> Result<Answer, ServiceError> {
        match self.post(number, tool, body).await.map_err(failed)? {
            Came::Answer(answer) => Ok(answer),
            Came::Events(events) => Box::pin(self.follow(number, events)).await,
            Came::Nothing => pending().await,
        }
    }

    async fn post(&self, number: i64, tool: &str, body: Vec<u8>) -> Result<Came, HttpError> {
        let wire = &self.line.wire;
        let answer = wire.connections.execute(self.request(tool, body)?).await;
        let answer = answer.map_err(StreamableHttpError::Client)?;
        match answer.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(Came::Nothing),
            StatusCode::NOT_FOUND if self.session.is_some() => {
                Err(StreamableHttpError::SessionExpired)
            }
            status if status.is_success() => self.accept(number, answer).await,
            _ => {
                let mut refusal = Refusal::read(answer).await?;
                let told = refusal.told.take().ok_or_else(|| refusal.into_error())?;
                Ok(Came::Answer(Err(told.error)))
            }
        }
    }

    fn request(&self, tool: &str, body: Vec<u8>) -> Result<HttpMessage, HttpError> {
        let broken = |_| StreamableHttpError::UnexpectedServerResponse("no request".into());
        let mut request = self.template.try_clone().ok_or(()).map_err(broken)?;
        if self.names_tools {
            let name = HeaderValue::from_str(tool).map_err(|_| broken(()))?;
            request.headers_mut().insert(NAME, name);
        }
        *request.body_mut() = Some(body.into());
        Ok(request)
    }

    /// Takes the answer of a success.
    async fn accept(&self, number: i64, answer: HttpAnswer) -> Result<Came, HttpError> {
        let kind = answer.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let is = |word: &str| kind.is_some_and(|kind| kind.starts_with(word.as_bytes()));
        if is(JSON) {
            let body = read(answer, LONGEST_MESSAGE).await?;
            return Ok(match answers::read_back(number, &body)? {
                Message::Answer(id, answer) if id == number => Came::Answer(answer),
                other => {
                    self.hand_on(number, other).await;
                    Came::Nothing
                }
            });
        }
        if is(EVENTS) {
            return Ok(Came::Events(self.listen(number, events(answer))));
        }
        let kind = kind.map(|kind| String::from_utf8_lossy(kind).into_owned());
        Err(StreamableHttpError::UnexpectedContentType(kind))
    }

    fn listen(&self, number: i64, events: Events) -> Events {
        listen(events, RequestId::Number(number), Arc::clone(&self.line.wire.routes))
    }

    /// Reads events until the answer has come; a stream that breaks off is taken up again.
    async fn follow(&self, number: i64, mut events: Events) -> Result<Answer, ServiceError> {
        let mut place = Place::default();
        loop {
            match events.next().await {
                Some(Ok(event)) => {
                    place.note(&event);
                    if let Some(answer) = self.hear(number, event).await {
                        self.leave(events);
                        return Ok(answer);
                    }
                }
                None if place.last().is_none() => return Err(ServiceError::TransportClosed),
                None => {
                    sleep(place.first_pause()).await;
                    events = self.resume(number, &place).await?;
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "the stream of a call broke off");
                    events = self.resume(number, &place).await?;
                }
            }
        }
    }

    async fn hear(&self, number: i64, event: Sse) -> Option<Answer> {
        if !matches!(event.event.as_deref(), None | Some("" | "message")) {
            return None;
        }
        match answers::read_back(number, event.data?.as_bytes()) {
            Ok(Message::Answer(id, answer)) if id == number => return Some(answer),
            Ok(other) => self.hand_on(number, other).await,
            Err(error) => tracing::debug!(%error, "an MCP server sent an event that is no message"),
        }
        None
    }

    /// Hands on what came with the answer to a call and is not that.
    async fn hand_on(&self, number: i64, message: Message) {
        let mut message = match message {
            Message::Answer(other, answer) => {
                return self.line.ends.calls.answer(other, answer);
            }
            Message::Other(message) => message,
        };
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let origin = InboundStreamOrigin::OutboundRequest(RequestId::Number(number));
                request.request.extensions_mut().insert(origin);
            }
            // At once, so that the call is still there.
            JsonRpcMessage::Notification(note) => {
                if let ServerNotification::ProgressNotification(note) = &note.notification {
                    return self.line.wire.routes.deliver(note.params.clone());
                }
            }
            _ => {}
        }
        // When the library is gone, so is the session, and the call hears of it.
        self.line.ends.heard.send(message).await.ok();
    }

    /// Asks for the rest of a stream.
    async fn resume(&self, number: i64, place: &Place) -> Result<Events, ServiceError> {
        let Some(last) = place.last() else { return Err(ServiceError::TransportClosed) };
        let mut tries = 0;
        loop {
            let Line { wire, uri, headers, token, .. } = &self.line;
            let token = token.as_ref().map(|token| token.expose().to_owned());
            let session = self.session.clone();
            let uri = Arc::clone(uri);
            let rest = wire.get_stream(uri, session, Some(last.to_owned()), token, headers.clone());
            match rest.await {
                Ok(events) => return Ok(self.listen(number, events)),
                // Asking once more would change nothing.
                Err(
                    StreamableHttpError::ServerDoesNotSupportSse
                    | StreamableHttpError::AuthRequired(_)
                    | StreamableHttpError::InsufficientScope(_),
                ) => return Err(ServiceError::TransportClosed),
                Err(error) => tracing::debug!(%error, "the stream of a call is not there yet"),
            }
            tries += 1;
            sleep(place.pause(tries)).await;
        }
    }

    /// Leaves a stream; one that is read to its end leaves its connection for another call.
    fn leave(&self, mut events: Events) {
        if !matches!(events.next().now_or_never(), Some(None | Some(Err(_)))) {
            // When the keeper is gone, so is the server.
            self.chores.send(Chore::ReadOut(events)).ok();
        }
    }
}

/// What came of a call that was posted.
enum Came {
    Answer(Answer),
    Events(Events),
    /// The answer comes on another stream.
    Nothing,
}

/// The entry of a call that waits.
struct Entered<'a> {
    calls: &'a Calls,
    number: i64,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.calls.forget(self.number);
    }
}

fn failed(error: HttpError) -> ServiceError {
    ServiceError::TransportSend(DynamicTransportError::new::<Joined, RoleClient>(error))
}

/// Tells whether a schema marks an argument, wherever that may be.
fn is_marked(schema: &JsonObject) -> bool {
    let is_marked_too = |value: &Value| match value {
        Value::Object(schema) => is_marked(schema),
        Value::Array(schemas) => schemas.iter().filter_map(Value::as_object).any(is_marked),
        _ => false,
    };
    schema.contains_key(MARK) || schema.values().any(is_marked_too)
}
