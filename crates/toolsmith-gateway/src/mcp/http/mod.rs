//! MCP over HTTP: POST brings messages, GET listens, DELETE ends a session.

pub(crate) mod headers;
pub(crate) mod params;
mod stream;

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{ACCEPT, CONTENT_TYPE},
    },
    response::{IntoResponse, Response},
};

use self::headers::{REVISION, SESSION};
use super::{
    Answer,
    following::Said,
    group,
    lifecycle::initialize,
    listening::{Interest, Listening},
    refusal::Refusal,
    revision::Revision,
    server::{answer_alone, answer_in_session, hear},
    session::Session,
    wire::{self, Id, Message, Request},
};
use crate::{Gateway, Visitor, guard, http::body};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Which tools an address shows.
type Group = Option<Path<String>>;

/// Answers a message.
pub(crate) async fn post(
    State(gateway): State<Gateway>,
    group: Group,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let visitor = match enter(&gateway, group, &headers) {
        Ok(visitor) => visitor,
        Err(refusal) => return refused(None, &refusal, Revision::Jul2026),
    };
    let forms = Forms::of(&headers);
    let Some(forms) = forms else {
        return refused(None, &Refusal::not_acceptable(), Revision::Jul2026);
    };
    let bytes = match body::json_bytes(&headers, body, &gateway.0.config).await {
        Ok(bytes) => bytes,
        Err(failure) => return failure.into_response(),
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let refusal = Refusal::unreadable("The message is not UTF-8.");
        return refused(None, &refusal, Revision::Jul2026);
    };
    match wire::read(text) {
        Ok(message) => answer(&gateway, visitor, (&headers, forms), message).await,
        Err(unreadable) => refused(unreadable.id, &unreadable.refusal, Revision::Jul2026),
    }
}

/// Lets somebody in who comes from where one may come from, with what the group shows them.
fn enter(gateway: &Gateway, group: Group, headers: &HeaderMap) -> Result<Visitor, Refusal> {
    guard::check(headers, &gateway.0.config.hosts).map_err(Refusal::foreign)?;
    let visitor = Visitor::local();
    match group {
        None => Ok(visitor),
        Some(Path(name)) => group::narrowed(gateway, visitor, &name),
    }
}

/// What a header says of the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spoken {
    Nothing,
    Known(Revision),
    Unknown,
}

impl Spoken {
    fn of(headers: &HeaderMap) -> Self {
        match headers::text(headers, REVISION) {
            None => Self::Nothing,
            Some(name) => Revision::from_name(name).map_or(Self::Unknown, Self::Known),
        }
    }

    /// Tells whether requests stand for themselves; so they do in any revision that is to come.
    fn stands_alone(self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Known(revision) => revision.is_stateless(),
            Self::Unknown => true,
        }
    }
}

/// Which forms of an answer a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forms {
    Both,
    JsonOnly,
    StreamOnly,
}

impl Forms {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let mut accepted = headers.get_all(ACCEPT).iter().peekable();
        if accepted.peek().is_none() {
            return Some(Self::Both);
        }
        let (mut json, mut stream) = (false, false);
        for range in accepted.filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(',')) {
            match range.split(';').next().unwrap_or_default().trim() {
                "*/*" => (json, stream) = (true, true),
                "application/json" | "application/*" => json = true,
                "text/event-stream" | "text/*" => stream = true,
                _ => {}
            }
        }
        match (json, stream) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::JsonOnly),
            (false, true) => Some(Self::StreamOnly),
            (false, false) => None,
        }
    }
}

async fn answer(
    gateway: &Gateway,
    visitor: Visitor,
    (headers, forms): (&HeaderMap, Forms),
    message: Message<'_>,
) -> Response {
    let session = headers::text(headers, SESSION);
    let spoken = Spoken::of(headers);
    let is_alone = session.is_none() && spoken.stands_alone();
    match message {
        Message::Request(request) if is_alone => {
            let answer = answer_alone(gateway, visitor, Some(headers), &request).await;
            respond(answer, &request, forms, Revision::Jul2026).await
        }
        Message::Request(request) if request.method == "initialize" => {
            begin(gateway, &visitor, &request)
        }
        Message::Notification(_) | Message::Response(_) if is_alone => {
            StatusCode::ACCEPTED.into_response()
        }
        message => match find(gateway, &visitor, session, spoken) {
            Ok(session) => within(gateway, &session, visitor, forms, message).await,
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
fn find(
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
    session: &Arc<Session>,
    visitor: Visitor,
    forms: Forms,
    message: Message<'_>,
) -> Response {
    match message {
        Message::Request(request) => {
            let answer = answer_in_session(gateway, session, visitor, &request).await;
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

/// Writes an answer: as JSON while nothing comes before it, as a stream otherwise.
async fn respond(
    answer: Result<Answer, Refusal>,
    request: &Request<'_>,
    forms: Forms,
    revision: Revision,
) -> Response {
    let mut following = match answer {
        Ok(Answer::Text(text)) if forms == Forms::StreamOnly => return stream::single(text),
        Ok(Answer::Text(text)) => return whole(StatusCode::OK, text),
        Ok(Answer::Nothing) => return StatusCode::ACCEPTED.into_response(),
        Ok(Answer::Following(following)) => following,
        Ok(Answer::Listening(listening)) => return stream::listen(*listening),
        Err(refusal) => return refused(Some(request.id), &refusal, revision),
    };
    loop {
        match following.next().await {
            (Said::Last(text), _) if forms == Forms::StreamOnly => return stream::single(text),
            (Said::Last(text), _) => return whole(StatusCode::OK, text),
            (Said::Refused(refusal), _) => return refused(Some(request.id), &refusal, revision),
            (Said::More(_), Some(rest)) if forms == Forms::JsonOnly => following = rest,
            (Said::More(text), Some(rest)) => return stream::of(text, rest, request.id),
            (Said::More(_), None) | (Said::Nothing, _) => {
                return StatusCode::ACCEPTED.into_response();
            }
        }
    }
}

/// Lets a session hear what belongs to no request of it.
pub(crate) async fn get(
    State(gateway): State<Gateway>,
    group: Group,
    headers: HeaderMap,
) -> Response {
    if headers::text(&headers, SESSION).is_none() {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let session = enter(&gateway, group, &headers).and_then(|visitor| {
        let spoken = Spoken::of(&headers);
        let is_streamed = matches!(Forms::of(&headers), Some(Forms::Both | Forms::StreamOnly));
        let session = find(&gateway, &visitor, headers::text(&headers, SESSION), spoken)?;
        if is_streamed { Ok((session, visitor)) } else { Err(Refusal::not_acceptable()) }
    });
    match session {
        Ok((session, visitor)) => {
            let (heard, ended) = ((Interest::ALL, session.followed.clone()), session.listen());
            stream::listen(Listening::new(&gateway, visitor.rights, heard, ended))
        }
        Err(refusal) => refused(None, &refusal, Revision::Jul2026),
    }
}

/// Ends a session.
pub(crate) async fn delete(
    State(gateway): State<Gateway>,
    group: Group,
    headers: HeaderMap,
) -> Response {
    let ended = enter(&gateway, group, &headers).and_then(|visitor| {
        let key = headers::text(&headers, SESSION);
        let key = key.ok_or_else(|| Refusal::invalid_request("There is no session to end."))?;
        let is_ended = gateway.0.mcp.sessions.end(key, &visitor.id);
        if is_ended { Ok(()) } else { Err(Refusal::no_session()) }
    });
    match ended {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refusal) => refused(None, &refusal, Revision::Jul2026),
    }
}

fn refused(id: Option<Id<'_>>, refusal: &Refusal, revision: Revision) -> Response {
    whole(refusal.status(revision), wire::refusal(id, refusal))
}

fn whole(status: StatusCode, text: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}
