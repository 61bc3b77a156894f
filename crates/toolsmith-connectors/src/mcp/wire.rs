//! Messages over HTTP, within bounds.
//!
//! The library reads an answer to its end however long it is; this reads up to a limit. Opening
//! the stream of a session and ending one is left to the library, which bounds events itself.

use std::{borrow::Cow, collections::HashMap, io, sync::Arc};

use bytes::{Bytes, BytesMut};
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use http::{
    StatusCode,
    header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
        StreamableHttpError, StreamableHttpPostResponse,
    },
};
use serde::Deserialize;
use sse_stream::{Sse, SseStream};
use toolsmith_net::{Answer, Connections, HeaderMap, HeaderName, HeaderValue, LibraryError, Url};

use super::{answers, behalf::Remark, routes::Routes};

/// The longest message that is read, in bytes.
pub(super) const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// How much of a refusal is read, in bytes.
const LONGEST_REFUSAL: usize = 64 * 1024;

/// The media type of a stream of events.
const EVENTS: &str = "text/event-stream";

/// The media type of a single message.
const JSON: &str = "application/json";

/// What we take for an answer.
const EITHER: &str = "text/event-stream, application/json";

/// Names the session that a message belongs to.
const SESSION: &str = "mcp-session-id";

/// The method of what a server says while it works.
const REMARK: &str = "notifications/message";

/// Why a message was not exchanged.
pub(super) type HttpError = StreamableHttpError<LibraryError>;

type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Our connections, as the library uses them.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) connections: Connections,
    /// Where every message goes; taking an address apart costs as much as writing a message.
    pub(super) place: Url,
    /// Where remarks go that come with the answer to a request.
    pub(super) routes: Arc<Routes>,
}

impl StreamableHttpClient for Wire {
    type Error = LibraryError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let request = if *uri == *self.place.as_str() {
            self.connections.post(self.place.clone())
        } else {
            self.connections.post(&*uri)
        };
        let mut request = request
            .headers(HeaderMap::from_iter(custom_headers))
            .header(ACCEPT, HeaderValue::from_static(EITHER))
            .header(CONTENT_TYPE, HeaderValue::from_static(JSON))
            .body(serde_json::to_vec(&message)?);
        let session = session_id.as_deref();
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.map_err(StreamableHttpError::Client)?;
        match answer.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            StatusCode::NOT_FOUND if session.is_some() => Err(StreamableHttpError::SessionExpired),
            status if status.is_success() => self.accept(answer, &message).await,
            _ => refuse(answer, &message, session).await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), HttpError> {
        self.connections.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<Events, HttpError> {
        let stream = self.connections.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            LONGEST_MESSAGE,
        );
        stream.await
    }
}

impl Wire {
    /// Takes the answer of a success.
    async fn accept(
        &self,
        answer: Answer,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let session = header(&answer, &HeaderName::from_static(SESSION));
        let kind = header(&answer, &CONTENT_TYPE);
        match kind.as_deref() {
            Some(kind) if kind.starts_with(EVENTS) => {
                let events = self.listen(events(answer), message);
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Some(kind) if kind.starts_with(JSON) => {
                let body = read(answer, LONGEST_MESSAGE).await?;
                match answers::read_for(message, &body) {
                    Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                    Err(_) if !is_question(message) => Ok(StreamableHttpPostResponse::Accepted),
                    Err(error) => Err(error.into()),
                }
            }
            // Who is only told something has nothing to answer.
            _ if !is_question(message) => Ok(StreamableHttpPostResponse::Accepted),
            _ => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }

    /// Hands on what a server says while it works on a request.
    ///
    /// The library does not tell on which stream something was said.
    fn listen(&self, events: Events, message: &ClientJsonRpcMessage) -> Events {
        let ClientJsonRpcMessage::Request(request) = message else { return events };
        let (id, routes) = (request.id.clone(), Arc::clone(&self.routes));
        let hear = move |event: &Result<Sse, SseError>| {
            let data = event.as_ref().ok().and_then(|event| event.data.as_deref());
            if let Some(remark) = data.and_then(remark) {
                routes.remark(Some(&id), remark);
            }
        };
        events.inspect(hear).boxed()
    }
}

/// Reads what a server says, if a message is that.
fn remark(data: &str) -> Option<Remark> {
    #[derive(Deserialize)]
    struct Message {
        method: String,
        params: Remark,
    }
    // Nearly every event is something else, and is read by the library.
    memchr::memmem::find(data.as_bytes(), REMARK.as_bytes())?;
    let message: Message = serde_json::from_str(data).ok()?;
    (message.method == REMARK).then_some(message.params)
}

/// Takes the answer of a failure: an error of the protocol where there is one.
async fn refuse(
    answer: Answer,
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let (status, challenge) = (answer.status(), header(&answer, &WWW_AUTHENTICATE));
    match (status, challenge) {
        (StatusCode::UNAUTHORIZED, challenge) => {
            let error = AuthRequiredError::new(challenge.unwrap_or_default());
            return Err(StreamableHttpError::AuthRequired(error));
        }
        (StatusCode::FORBIDDEN, Some(challenge)) => {
            let error = InsufficientScopeError::new(challenge, None);
            return Err(StreamableHttpError::InsufficientScope(error));
        }
        _ => {}
    }
    let wait = header(&answer, &RETRY_AFTER);
    let is_json = header(&answer, &CONTENT_TYPE).is_some_and(|kind| kind.starts_with(JSON));
    let is_ours = status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
    if !is_ours && (!is_json || status == StatusCode::TOO_MANY_REQUESTS) {
        return Err(HttpStatusError::new(status.as_u16(), wait).into());
    }
    let body = read(answer, LONGEST_REFUSAL).await.unwrap_or_default();
    let told = match serde_json::from_slice(&body) {
        Ok(ServerJsonRpcMessage::Error(error)) if status != StatusCode::FORBIDDEN => Some(error),
        _ => None,
    };
    // A server that does not know the new greeting may refuse it in any way; the library asks in the
    // old way when it is told so in the words of the protocol, under the number of the question.
    if let (ClientJsonRpcMessage::Request(request), None, true) = (message, session, is_ours)
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status != StatusCode::FORBIDDEN
    {
        let why = || ErrorData::invalid_request(format!("refused with HTTP status {status}"), None);
        let error = told.map_or_else(why, |told| told.error);
        let message = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(message, None));
    }
    match told {
        Some(error) => {
            let message = ServerJsonRpcMessage::Error(error);
            Ok(StreamableHttpPostResponse::Json(message, session.map(str::to_owned)))
        }
        None if is_ours => Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!(
            "HTTP {}",
            status.as_u16()
        )))),
        None => Err(HttpStatusError::new(status.as_u16(), wait).into()),
    }
}

fn is_question(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(_))
}

fn header(answer: &Answer, name: &HeaderName) -> Option<String> {
    let value = answer.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Reads a body that is not longer than it may be.
async fn read(mut answer: Answer, limit: usize) -> Result<Bytes, HttpError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await.map_err(StreamableHttpError::Client)? {
        if chunk.len() > limit - body.len() {
            return Err(StreamableHttpError::Io(too_long()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn too_long() -> io::Error {
    let most = LONGEST_MESSAGE / (1024 * 1024);
    io::Error::new(io::ErrorKind::FileTooLarge, format!("a message of more than {most} MiB"))
}

/// Reads events, none of which is longer than it may be.
fn events(answer: Answer) -> Events {
    let pieces =
        stream::try_unfold((answer, Measure::default()), |(mut answer, mut measure)| async {
            match answer.chunk().await.map_err(io::Error::other)? {
                None => Ok(None),
                Some(piece) if measure.fits(&piece) => Ok(Some((piece, (answer, measure)))),
                Some(_) => Err(too_long()),
            }
        });
    SseStream::from_bytes_stream(Box::pin(pieces)).boxed()
}

/// How long the event is that is being read; an empty line ends it.
#[derive(Debug, Default)]
struct Measure {
    size: usize,
    line: usize,
}

impl Measure {
    fn fits(&mut self, piece: &[u8]) -> bool {
        for byte in piece {
            match byte {
                b'\r' => {}
                b'\n' if self.line == 0 => self.size = 0,
                b'\n' => self.line = 0,
                _ => self.line += 1,
            }
            self.size += 1;
        }
        // A piece is small beside the limit, so what it is looked at for as a whole does no harm.
        self.size <= LONGEST_MESSAGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_measured_from_one_empty_line_to_the_next() {
        let mut measure = Measure::default();
        let half = format!("data: {}", "x".repeat(LONGEST_MESSAGE / 2));
        for end in ["\n\n", "\r\n\r\n"] {
            for _ in 0..5 {
                assert!(measure.fits(half.as_bytes()) && measure.fits(end.as_bytes()));
            }
        }
        assert!(measure.fits(half.as_bytes()) && measure.fits(b"\n"));
        assert!(!measure.fits(half.as_bytes()));
    }
}
