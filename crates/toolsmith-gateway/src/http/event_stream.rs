//! Server-sent events, as the HTML standard (§9.2.5) writes them.

use std::{convert::Infallible, fmt::Write as _, time::Duration};

use axum::{
    body::Body,
    http::{
        HeaderValue,
        header::{CACHE_CONTROL, CONTENT_TYPE},
    },
    response::Response,
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde::Serialize;

/// How often a stream on which nothing happens shows that it is still there.
pub(super) const BEAT_EVERY: Duration = Duration::from_secs(15);

/// A comment, which clients pass over.
pub(super) const BEAT: Bytes = Bytes::from_static(b":\n\n");

/// Answers with a stream of events.
pub(super) fn response(frames: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let mut response = Response::new(Body::from_stream(frames.map(Ok::<_, Infallible>)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that gather answers before they pass them on know this header.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Writes an event whose data is a JSON document; JSON has no line break outside of escapes.
pub(super) fn frame(event: &str, id: Option<&str>, document: &impl Serialize) -> Bytes {
    let mut text = String::new();
    if let Some(id) = id {
        writeln!(text, "id: {id}").ok();
    }
    let document = serde_json::to_string(document).unwrap_or_else(|_| "null".to_owned());
    write!(text, "event: {event}\ndata: {document}\n\n").ok();
    text.into()
}

#[cfg(test)]
mod tests {
    use toolsmith_core::json;

    use super::*;

    #[test]
    fn an_event_is_a_few_lines_whatever_its_text() {
        let told = json!({"text": "a\nb\r\n\ndata: c"});
        assert_eq!(
            frame("chunk", Some("1-2"), &told),
            "id: 1-2\nevent: chunk\ndata: {\"text\":\"a\\nb\\r\\n\\ndata: c\"}\n\n"
        );
    }
}
