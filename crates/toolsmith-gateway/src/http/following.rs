//! `/run_tool` with `Accept: text/event-stream`: a call, followed while it runs.
//!
//! Events `chunk` and `progress` come as the tool sends them, and `outcome` closes the stream.

use axum::{http::HeaderValue, response::Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::time::timeout;
use toolsmith_core::{Call, StreamItem, json};
use toolsmith_engine::{CallStream, Followed};

use super::event_stream::{BEAT, BEAT_EVERY, frame, response};
use crate::{Gateway, underway::Enrolled, watched::CALL_ID};

/// A call under way, and the client that follows it; a client that leaves drops both.
struct Following {
    stream: CallStream,
    _enrolled: Enrolled,
}

/// Makes the call and answers with what it sends.
pub(super) fn follow(gateway: &Gateway, call: Call, enrolled: Enrolled) -> Response {
    let id = HeaderValue::from_str(&enrolled.id().to_string());
    let following = Following { stream: gateway.0.engine.stream(call), _enrolled: enrolled };
    let frames = stream::unfold(following, |mut following| async move {
        let frame = following.next().await?;
        Some((frame, following))
    });
    let mut response = response(frames);
    if let Ok(id) = id {
        response.headers_mut().insert(CALL_ID, id);
    }
    response
}

impl Following {
    /// Waits for what the call sends next, or for the time to show that it is still there.
    async fn next(&mut self) -> Option<Bytes> {
        let Ok(followed) = timeout(BEAT_EVERY, self.stream.next()).await else {
            return Some(BEAT);
        };
        Some(match followed? {
            Followed::Item(StreamItem::Chunk(chunk)) => {
                frame("chunk", None, &json!({ "chunk": chunk }))
            }
            Followed::Item(StreamItem::Progress { done, total, message }) => {
                let told = json!({ "done": done, "total": total, "message": message });
                frame("progress", None, &told)
            }
            Followed::Item(StreamItem::Log { level, logger, data }) => {
                frame("log", None, &json!({ "level": level, "logger": logger, "data": data }))
            }
            Followed::Outcome(outcome) => frame("outcome", None, &outcome),
        })
    }
}
