//! `GET /events`: what happens, as server-sent events.
//!
//! `Last-Event-ID` goes on where a stream broke off; what is lost by then is told as `missed`.

use std::{str::FromStr, time::Duration};

use axum::{extract::State, http::HeaderMap, response::Response};
use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use toolsmith_core::{CallId, Event, EventKind, Text, Value, json};

use super::{
    answer::Failure,
    asked::Asked,
    event_stream::{BEAT, BEAT_EVERY, frame, response},
};
use crate::{
    Gateway, Visitor, door,
    feed::{Listener, Place, Told},
};

/// How long a client is believed before its key is looked at again.
const LET_IN_FOR: Duration = Duration::from_secs(1);

/// Which events a client wants; what is absent does not matter.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Names of kinds with commas between them.
    r#type: Option<String>,
    tool: Option<Text>,
    conversation_id: Option<Text>,
    call_id: Option<CallId>,
    caller_id: Option<Text>,
    last_event_id: Option<String>,
}

/// Answers with what happens from now on, or from where the client has been.
pub(super) async fn events(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let choice = Choice::of(&wanted)?;
    let header = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let behind = header.or(wanted.last_event_id.as_deref()).map(|id| {
        // Whatever it was, it is none of ours: something may be missing.
        Place::from_str(id).unwrap_or_else(|()| Place::unknown())
    });
    let parts = &gateway.0;
    let listener = parts.feed.listen(&parts.engine, &parts.tasks, &parts.closing, behind);
    let closing = parts.closing.clone();
    let listening = Listening {
        gateway,
        visitor,
        headers: door::shown_by(&headers),
        let_in_at: Instant::now(),
        choice,
        listener,
        closing,
    };
    Ok(response(stream::unfold(listening, |mut listening| async move {
        let frames = listening.next().await?;
        Some((frames, listening))
    })))
}

/// Which events a client wants, checked.
#[derive(Debug)]
struct Choice {
    kinds: Option<Vec<EventKind>>,
    tool: Option<Text>,
    conversation_id: Option<Text>,
    call_id: Option<CallId>,
    caller_id: Option<Text>,
}

/// A client on its connection.
struct Listening {
    gateway: Gateway,
    visitor: Visitor,
    /// What let the client in; its key may be taken back meanwhile.
    headers: HeaderMap,
    let_in_at: Instant,
    choice: Choice,
    listener: Listener,
    closing: CancellationToken,
}

impl Listening {
    /// Waits for something that the client may and wants to hear; nothing once the doors close.
    async fn next(&mut self) -> Option<Bytes> {
        let closing = self.closing.clone();
        let hearing = timeout(BEAT_EVERY, self.hear());
        let heard = tokio::select! {
            biased;
            () = closing.cancelled() => return None,
            heard = hearing => heard.unwrap_or(BEAT),
        };
        self.is_still_let_in().await.then_some(heard)
    }

    /// Tells whether the key of the client still opens the door to the same rights.
    async fn is_still_let_in(&mut self) -> bool {
        if self.let_in_at.elapsed() < LET_IN_FOR {
            return true;
        }
        self.let_in_at = Instant::now();
        let parts = &self.gateway.0;
        let visitor = parts.door.readmit(&self.headers, &parts.guard, parts.engine.now()).await;
        visitor.is_ok_and(|visitor| visitor == self.visitor)
    }

    async fn hear(&mut self) -> Bytes {
        let mut frames = BytesMut::new();
        while frames.is_empty() {
            for told in self.listener.next().await {
                match told {
                    Told::Event(event, text, behind) if self.is_for_client(&event) => {
                        let kind = event.kind.as_str();
                        let head = format!("id: {behind}\nevent: {kind}\ndata: ");
                        frames.put_slice(head.as_bytes());
                        frames.put_slice(text.as_bytes());
                        frames.put_slice(b"\n\n");
                    }
                    Told::Event(..) => {}
                    Told::Missed(count) => {
                        // How much others do is nobody else's business.
                        let count = count.filter(|_| self.visitor.is_admin());
                        frames.put(frame("missed", None, &json!({ "missed": count })));
                    }
                }
            }
        }
        frames.freeze()
    }

    fn is_for_client(&self, event: &Event) -> bool {
        self.choice.fits(event) && self.may_hear(event)
    }

    /// A caller hears of its own calls, and of the tools that it may see.
    fn may_hear(&self, event: &Event) -> bool {
        if self.visitor.is_admin() {
            return true;
        }
        if let Some(origin) = &event.origin {
            return self.visitor.may_see(origin.caller_id.as_ref());
        }
        let Some(tool) = &event.tool_name else { return false };
        let rights = &self.visitor.rights;
        match event.kind {
            EventKind::ToolRemoved => rights.allows(tool),
            EventKind::ToolLoaded
            | EventKind::ToolAdded
            | EventKind::ToolUpdated
            | EventKind::ToolStateChanged => {
                self.gateway.0.engine.registry().visible(tool, rights).is_some()
            }
            _ => false,
        }
    }
}

impl Choice {
    fn of(wanted: &Wanted) -> Result<Self, Failure> {
        let kinds = wanted.r#type.as_deref().map(|names| {
            let kinds = names.split(',').map(|name| kind(name.trim()));
            kinds.collect::<Result<Vec<EventKind>, Failure>>()
        });
        Ok(Self {
            kinds: kinds.transpose()?,
            tool: wanted.tool.clone(),
            conversation_id: wanted.conversation_id.clone(),
            call_id: wanted.call_id,
            caller_id: wanted.caller_id.clone(),
        })
    }

    fn fits(&self, event: &Event) -> bool {
        let origin = event.origin.as_ref();
        let conversation = origin.and_then(|origin| origin.conversation_id.as_ref());
        let caller = origin.and_then(|origin| origin.caller_id.as_ref());
        self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind))
            && is_wanted(self.tool.as_ref(), event.tool_name.as_ref())
            && is_wanted(self.conversation_id.as_ref(), conversation)
            && is_wanted(self.call_id.as_ref(), event.call_id.as_ref())
            && is_wanted(self.caller_id.as_ref(), caller)
    }
}

fn is_wanted<T: PartialEq>(wanted: Option<&T>, found: Option<&T>) -> bool {
    wanted.is_none() || wanted == found
}

fn kind(name: &str) -> Result<EventKind, Failure> {
    let known = serde_json::from_value(Value::String(name.to_owned()));
    known.map_err(|_| Failure::bad_request(format!("There are no events of type `{name}`.")))
}
