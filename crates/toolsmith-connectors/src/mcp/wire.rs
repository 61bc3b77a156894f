//! Messages over HTTP, within bounds.
//!
//! The library reads an answer to its end however long it is; this reads up to a limit. Opening
//! the stream of a session and ending one is left to the library, which bounds events itself.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use bytes::{Bytes, BytesMut};
use http::{
    StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    },
};
use toolsmith_net::{
    Answer, Connections, Draft, HeaderMap, HeaderName, HeaderValue, LibraryError, Url,
};

use super::{
    answers,
    events::{Events, events, listen, too_long},
    refusals::Refusal,
    routes::Routes,
};

/// The longest message that is read, in bytes.
pub(super) const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// The media type of a stream of events.
pub(super) const EVENTS: &str = "text/event-stream";

/// The media type of a single message.
pub(super) const JSON: &str = "application/json";

/// What we take for an answer.
const EITHER: &str = "text/event-stream, application/json";

/// Names the session that a message belongs to.
const SESSION: &str = "mcp-session-id";

/// Why a message was not exchanged.
pub(super) type HttpError = StreamableHttpError<LibraryError>;

/// What a message carries besides.
pub(super) type Headers = HashMap<HeaderName, HeaderValue>;

/// Our connections, as the library uses them.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) connections: Connections,
    /// Where every message goes; taking an address apart costs as much as writing a message.
    pub(super) place: Url,
    /// Where remarks go that come with the answer to a request.
    pub(super) routes: Arc<Routes>,
    /// The session, once the library has sent something in it.
    pub(super) session: Arc<OnceLock<Arc<str>>>,
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
        if let Some(session) = &session_id {
            self.session.get_or_init(|| Arc::clone(session));
        }
        let session = session_id.as_deref();
        let request = self.request(&uri, custom_headers, session, auth_header);
        let request = request.body(serde_json::to_vec(&message)?);
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
    /// Drafts the request that carries a message.
    pub(super) fn request(
        &self,
        uri: &str,
        headers: Headers,
        session: Option<&str>,
        token: Option<String>,
    ) -> Draft {
        let request = if uri == self.place.as_str() {
            self.connections.post(self.place.clone())
        } else {
            self.connections.post(uri)
        };
        let mut request = request
            .headers(HeaderMap::from_iter(headers))
            .header(ACCEPT, HeaderValue::from_static(EITHER))
            .header(CONTENT_TYPE, HeaderValue::from_static(JSON));
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Takes the answer of a success.
    async fn accept(
        &self,
        answer: Answer,
        message: &ClientJsonRpcMessage,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let session = header(&answer, &HeaderName::from_static(SESSION));
        let kind = header(&answer, &CONTENT_TYPE);
        match kind.as_deref() {
            Some(kind) if is_of(kind.as_bytes(), EVENTS) => {
                let mut events = events(answer);
                if let ClientJsonRpcMessage::Request(request) = message {
                    events = listen(events, request.id.clone(), Arc::clone(&self.routes));
                }
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            Some(kind) if is_of(kind.as_bytes(), JSON) => {
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
}

/// Takes the answer of a failure: an error of the protocol where there is one.
async fn refuse(
    answer: Answer,
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
) -> Result<StreamableHttpPostResponse, HttpError> {
    let refusal = Refusal::read(answer).await?;
    // A server that does not know the new greeting may refuse it in any way; the library asks in the
    // old way when it is told so in the words of the protocol, under the number of the question.
    if let (ClientJsonRpcMessage::Request(request), None) = (message, session)
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && let Some(why) = refusal.why_unknown()
    {
        let why = || ErrorData::invalid_request(why, None);
        let error = refusal.told.map_or_else(why, |told| told.error);
        let message = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(message, None));
    }
    match refusal.told {
        Some(error) => {
            let message = ServerJsonRpcMessage::Error(error);
            Ok(StreamableHttpPostResponse::Json(message, session.map(str::to_owned)))
        }
        None => Err(refusal.into_error()),
    }
}

fn is_question(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(_))
}

/// Tells whether a content type is of a media type, whatever the case of its letters.
pub(super) fn is_of(kind: &[u8], media_type: &str) -> bool {
    let start = kind.get(..media_type.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(media_type.as_bytes()))
}

/// Returns a header of an answer.
pub(super) fn header(answer: &Answer, name: &HeaderName) -> Option<String> {
    let value = answer.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Reads a body that is not longer than it may be.
pub(super) async fn read(mut answer: Answer, limit: usize) -> Result<Bytes, HttpError> {
    let mut whole = Bytes::new();
    let mut body = BytesMut::new();
    while let Some(chunk) = answer.chunk().await.map_err(StreamableHttpError::Client)? {
        if chunk.len() > limit - whole.len() - body.len() {
            return Err(StreamableHttpError::Io(too_long()));
        }
        // Nearly every body comes in one piece, which needs no copy.
        if whole.is_empty() && body.is_empty() {
            whole = chunk;
            continue;
        }
        body.extend_from_slice(&std::mem::take(&mut whole));
        body.extend_from_slice(&chunk);
    }
    Ok(if body.is_empty() { whole } else { body.freeze() })
}
