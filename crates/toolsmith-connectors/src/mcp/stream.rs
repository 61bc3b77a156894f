//! The stream that the answer to a call comes on, with whatever else the server sends on it.

use std::sync::Arc;

use futures_util::{FutureExt, StreamExt};
use rmcp::{
    ServiceError,
    model::{GetExtensions, JsonRpcMessage, RequestId, ServerNotification},
    service::InboundStreamOrigin,
    transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError},
};
use sse_stream::Sse;
use tokio::time::sleep;

use super::{
    answers::{self, Message},
    calls::Answer,
    events::{Events, is_too_long, listen, too_long},
    keeper::Chore,
    place::Place,
    posts::{Line, Posts, failed},
};

impl Posts {
    /// Hears what a server says on the stream of a call.
    pub(super) fn listen(&self, number: i64, events: Events) -> Events {
        listen(events, RequestId::Number(number), Arc::clone(&self.line.wire.routes))
    }

    /// Reads events until the answer has come; a stream that breaks off is taken up again.
    pub(super) async fn follow(
        &self,
        number: i64,
        mut events: Events,
    ) -> Result<Answer, ServiceError> {
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
                // It would be as long the next time.
                Some(Err(error)) if is_too_long(&error) => {
                    return Err(failed(StreamableHttpError::Io(too_long())));
                }
                Some(Err(error)) => {
                    tracing::debug!(%error, "the stream of a call broke off");
                    sleep(place.first_pause()).await;
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
    pub(super) async fn hand_on(&self, number: i64, message: Message) {
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
