//! MCP over HTTP: POST brings messages, GET listens, DELETE ends a session.

pub(crate) mod headers;
mod message;
pub(crate) mod params;
mod respond;
mod said;
mod stream;

use axum::{
    extract::{Path, Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};

use self::{
    headers::SESSION,
    message::{answer as answer_message, find},
    respond::refused,
    said::{Forms, Spoken},
};
use super::{
    guest::{Guest, Opening},
    listening::{Interest, Listening, View},
    refusal::Refusal,
    revision::Revision,
    wire,
};
use crate::{
    Gateway, Visitor,
    http::{Failure, body},
};

/// Which tools an address shows.
type Group = Option<Path<String>>;

/// Answers a message.
pub(crate) async fn post(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    group: Group,
    request: Request,
) -> Response {
    answer(&gateway, visitor, group, request).await
}

/// Answers a message of a visitor.
pub(crate) async fn answer(
    gateway: &Gateway,
    visitor: Visitor,
    group: Group,
    request: Request,
) -> Response {
    let guest = match enter(gateway, visitor, &group) {
        Ok(guest) => guest,
        Err(refusal) => return refused(None, &refusal, Revision::Jul2026),
    };
    let (head, body) = request.into_parts();
    let headers = &head.headers;
    let Some(forms) = Forms::of(headers) else {
        return refused(None, &Refusal::not_acceptable(), Revision::Jul2026);
    };
    let bytes = match body::json_bytes(headers, body, &gateway.0.config).await {
        Ok(bytes) => bytes,
        Err(failure) => return failure.into_response(),
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let refusal = Refusal::unreadable("The message is not UTF-8.");
        return refused(None, &refusal, Revision::Jul2026);
    };
    match wire::read(text) {
        Ok(message) => answer_message(gateway, guest, (headers, forms), message).await,
        Err(unreadable) => refused(unreadable.id, &unreadable.refusal, Revision::Jul2026),
    }
}

/// Leaves a visitor what the address shows.
fn enter(gateway: &Gateway, visitor: Visitor, group: &Group) -> Result<Guest, Refusal> {
    let group = group.as_ref().map(|Path(name)| name.as_str());
    Guest::enter(gateway, visitor, group, Opening::Http)
}

/// Lets a session hear what belongs to no request of it.
pub(crate) async fn get(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    group: Group,
    headers: HeaderMap,
) -> Response {
    if headers::text(&headers, SESSION).is_none() {
        return Failure::wrong_method().into_response();
    }
    let session = enter(&gateway, visitor, &group).and_then(|guest| {
        let spoken = Spoken::of(&headers);
        let is_streamed = matches!(Forms::of(&headers), Some(Forms::Both | Forms::StreamOnly));
        let session = find(&gateway, &guest.visitor, headers::text(&headers, SESSION), spoken)?;
        if is_streamed { Ok((session, guest)) } else { Err(Refusal::not_acceptable()) }
    });
    match session {
        Ok((session, guest)) => {
            let (heard, ended) = ((Interest::ALL, session.followed.clone()), session.listen());
            let view = View::new(&gateway, guest.visitor.rights, guest.group);
            let listening = Listening::new(&gateway, view, heard, ended);
            stream::listen(listening.with_tasks_of(&session))
        }
        Err(refusal) => refused(None, &refusal, Revision::Jul2026),
    }
}

/// Ends a session.
pub(crate) async fn delete(
    State(gateway): State<Gateway>,
    visitor: Visitor,
    group: Group,
    headers: HeaderMap,
) -> Response {
    let ended = enter(&gateway, visitor, &group).and_then(|guest| {
        let key = headers::text(&headers, SESSION);
        let key = key.ok_or_else(|| Refusal::invalid_request("There is no session to end."))?;
        let is_ended = gateway.0.mcp.sessions.end(key, &guest.visitor.id);
        if is_ended { Ok(()) } else { Err(Refusal::no_session()) }
    });
    match ended {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refusal) => refused(None, &refusal, Revision::Jul2026),
    }
}
