//! From a message to its answer: in a session, or alone.

use std::sync::Arc;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};

use super::{
    headers::{self, SESSION},
    respond::{refused, respond, whole},
    said::{Forms, Spoken},
};
use crate::{
    Gateway, Visitor,
    mcp::{
        guest::Guest,
        lifecycle::initialize,
        refusal::Refusal,
        revision::Revision,
        server::{answer_alone, answer_in_session, hear},
        session::Session,
        traced::{self, Told},
        wire::{Message, Request},
    },
};

/// Answers a message.
pub(super) async fn answer(
    gateway: &Gateway,
    guest: Guest,
    (headers, forms): (&HeaderMap, Forms),
    message: Message<'_>,
) -> Response {
    let session = headers::text(headers, SESSION);
    let spoken = Spoken::of(headers);
    let is_alone = session.is_none() && spoken.stands_alone();
    match message {
        // A client that could get a better token is told so where it looks: in the status.
        Message::Request(request)
            if request.method == "tools/call" && guest.visitor.lacks_scope() =>
        {
            refused(Some(request.id), &Refusal::lacks_scope(), Revision::Jul2026)
        }
        Message::Request(request) if is_alone => {
            let answering = answer_alone(gateway, guest, Some(headers), &request);
            let answer = match &gateway.0.config.telemetry {
                None => answering.await,
                Some(telemetry) => {
                    let told = Told { revision: Revision::Jul2026, session: None };
                    let traced = traced::request((gateway, telemetry), &request, told, answering);
                    Box::pin(traced).await
                }
            };
            respond(answer, &request, forms, Revision::Jul2026).await
        }
        Message::Request(request) if request.method == "initialize" => {
            begin(gateway, &guest.visitor, &request)
        }
        Message::Notification(_) | Message::Response(_) if is_alone => {
            StatusCode::ACCEPTED.into_response()
        }
        message => match find(gateway, &guest.visitor, session, spoken) {
            Ok(found) => within(gateway, (&found, session), guest, forms, message).await,
            Err(refusal) => {
                let id = match &message {
                    Message::Request(request) => Some(request.id),
                    _ => None,
                };
                refused(id, &refusal, Revision::Jul2026)
            }
        },
    }
}

/// Finds the session that a request belongs to.
pub(super) fn find(
    gateway: &Gateway,
    visitor: &Visitor,
    session: Option<&str>,
    spoken: Spoken,
) -> Result<Arc<Session>, Refusal> {
    if spoken == Spoken::Unknown {
        return Err(Refusal::invalid_request("This revision of the protocol is not spoken here."));
    }
    let Some(key) = session else {
        let why = "Begin a session with `initialize`, and name it in the header `Mcp-Session-Id`.";
        return Err(Refusal::invalid_request(why));
    };
    gateway.0.mcp.sessions.get(key, &visitor.id).ok_or_else(Refusal::no_session)
}

/// Begins a session.
fn begin(gateway: &Gateway, visitor: &Visitor, request: &Request<'_>) -> Response {
    let begun = initialize(visitor, request).and_then(|(session, text)| {
        let key = gateway.0.mcp.sessions.open(session)?;
        let key = HeaderValue::try_from(key)
            .map_err(|_| Refusal::internal("The session has no name."))?;
        Ok((key, text))
    });
    match begun {
        Ok((key, text)) => {
            let mut response = whole(StatusCode::OK, text);
            response.headers_mut().insert(SESSION, key);
            response
        }
        Err(refusal) => refused(Some(request.id), &refusal, Revision::NEWEST_WITH_SESSIONS),
    }
}

async fn within(
    gateway: &Gateway,
    (session, key): (&Arc<Session>, Option<&str>),
    guest: Guest,
    forms: Forms,
    message: Message<'_>,
) -> Response {
    match message {
        Message::Request(request) => {
            let answering = answer_in_session(gateway, session, guest, &request);
            let answer = match &gateway.0.config.telemetry {
                None => answering.await,
                Some(telemetry) => {
                    let told = Told { revision: session.revision, session: key };
                    let traced = traced::request((gateway, telemetry), &request, told, answering);
                    Box::pin(traced).await
                }
            };
            respond(answer, &request, forms, session.revision).await
        }
        Message::Notification(notification) => {
            hear(session, &notification);
            StatusCode::ACCEPTED.into_response()
        }
        Message::Response(response) => {
            session.hear(&response);
            StatusCode::ACCEPTED.into_response()
        }
    }
}
