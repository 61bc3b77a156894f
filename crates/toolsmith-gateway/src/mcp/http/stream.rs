//! Answers as a stream of server-sent events.

use std::time::Duration;

use axum::{
    body::Body,
    http::{
        HeaderName, HeaderValue,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::Response,
};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};

use tokio::time::timeout;

use crate::mcp::{
    following::{Following, Said},
    listening::Listening,
    wire::{self, Id},
};

const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-cache, no-transform");
const UNBUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// How often a quiet stream shows that it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Streams one message.
pub(super) fn single(text: Vec<u8>) -> Response {
    response(stream::once(async move { event(&text) }))
}

/// Streams a message, and what follows it up to the answer; a client that leaves ends the work.
pub(super) fn of(first: Vec<u8>, rest: Box<Following>, id: Id<'_>) -> Response {
    let id: Box<str> = id.as_json().into();
    let rest = stream::unfold(Some(rest), move |rest| {
        let id = id.clone();
        async move {
            match rest?.next().await {
                (Said::More(text), rest) => Some((event(&text), rest)),
                (Said::Last(text), _) => Some((event(&text), None)),
                (Said::Refused(refusal), _) => {
                    let text = wire::refusal(Some(Id::from_json(&id)), &refusal);
                    Some((event(&text), None))
                }
                (Said::Nothing, _) => None,
            }
        }
    });
    response(stream::once(async move { event(&first) }).chain(rest))
}

/// Streams changes for as long as the client listens.
pub(super) fn listen(listening: Listening) -> Response {
    response(stream::unfold(listening, async |mut listening| {
        let text = match timeout(KEEP_ALIVE, listening.next()).await {
            Ok(text) => event(&text?),
            Err(_) => Bytes::from_static(b": still here\n\n"),
        };
        Some((text, listening))
    }))
}

/// Makes a response of events.
pub(super) fn response(events: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let events = events.map(Ok::<_, std::convert::Infallible>);
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, EVENTS);
    headers.insert(CACHE_CONTROL, NOT_KEPT);
    headers.insert(UNBUFFERED.0, UNBUFFERED.1);
    response
}

/// Writes one event; JSON as we write it has no line breaks.
pub(super) fn event(text: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(text.len() + 24);
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(text);
    event.extend_from_slice(b"\n\n");
    event.into()
}
