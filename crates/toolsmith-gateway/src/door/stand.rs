//! What stands before every address: whoever gets past has a name, and who does not is told why.

use axum::{
    http::{
        HeaderMap, HeaderValue, Request, StatusCode, Uri,
        header::{CONNECTION, HOST, RETRY_AFTER, TRANSFER_ENCODING, WWW_AUTHENTICATE},
    },
    response::{IntoResponse, Response},
};
use toolsmith_core::{Role, Text};

use super::{
    attempts::Attempts,
    audit::{Audit, Refusal},
    challenge::{Wrong, challenge},
    keys::Look,
    refused::Refused,
};
use crate::{
    Gateway, Visitor,
    http::{Failure, Why},
    peer,
    visitor::Entrance,
    watched::Sender,
};

/// What is remembered of those who were refused.
#[derive(Debug)]
pub(crate) struct Guard {
    attempts: Attempts,
    pub(crate) audit: Audit,
}

impl Default for Guard {
    fn default() -> Self {
        Self { attempts: Attempts::new(), audit: Audit::new() }
    }
}

/// Stands before every address; only `/health` and the like are entered without a name.
pub(crate) async fn stand<B, F: Future<Output = Response>>(
    gateway: &Gateway,
    mut request: Request<B>,
    inside: impl FnOnce(Option<Visitor>, Request<B>) -> F,
) -> Response {
    name_whom_it_is_for(&mut request);
    let checked = gateway.0.door.hosts.check(request.headers());
    let (page, checked) = match checked {
        Ok(page) => (page, Ok(())),
        Err(failure) => (None, Err(failure.into())),
    };
    // Such a body may come with a length as well, and then whoever passed the request on may see
    // another end of it: nothing behind it is read (RFC 9112 §6.3).
    let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
    if let Some(mut answer) = page.as_ref().and_then(|page| page.preflight(&request)) {
        close_after(is_chunked, &mut answer);
        return answer;
    }
    let admitted = match checked {
        Ok(()) => {
            let now = || gateway.0.engine.now();
            gateway.0.door.admit(request.headers(), &gateway.0.guard, now).await
        }
        Err(refused) => Err(refused),
    };
    let mut response = match admitted {
        Err(refused) if !(refused.failure.is_unauthenticated() && gateway.is_open_to(&request)) => {
            refuse(gateway, request.uri(), request.headers(), refused)
        }
        admitted => {
            let visitor = admitted.ok();
            let sender = visitor.as_ref().and_then(|visitor| sender(gateway, visitor));
            let known = visitor.as_ref().filter(|visitor| !visitor.is_keyless());
            let known = known.map(|visitor| (Known::of(visitor, &request), request.uri().clone()));
            let mut response = inside(visitor, request).await;
            if let Some((known, uri)) = known {
                response = known.see_off(gateway, &uri, response);
            }
            signed(response, sender)
        }
    };
    if let Some(page) = page {
        page.allow(&mut response);
    }
    close_after(is_chunked, &mut response);
    response
}

/// Ends the connection behind an answer to a request in chunks.
fn close_after(is_chunked: bool, response: &mut Response) {
    if is_chunked {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
}

/// Puts the host of a whole address in place of the header: the address counts (RFC 9112 §3.2.2).
fn name_whom_it_is_for<B>(request: &mut Request<B>) {
    let host = request.uri().authority().map(|name| HeaderValue::from_str(name.as_str()));
    if let Some(Ok(host)) = host {
        request.headers_mut().insert(HOST, host);
    }
}

/// Returns who sends a request, when anybody wants to know.
fn sender(gateway: &Gateway, visitor: &Visitor) -> Option<Sender> {
    gateway.0.config.is_watched().then(|| Sender(visitor.id.clone()))
}

/// Lets an answer remember who asked.
fn signed(mut response: Response, sender: Option<Sender>) -> Response {
    if let Some(sender) = sender {
        response.extensions_mut().insert(sender);
    }
    response
}

impl Guard {
    /// Says how thoroughly keys are looked up: an address that has shown many wrong ones does not
    /// make us read the store again for each.
    pub(super) fn look(&self) -> Look {
        let is_full = peer::current().is_some_and(|peer| self.attempts.is_full(peer));
        if is_full { Look::Known } else { Look::Fresh }
    }
}

fn refuse(gateway: &Gateway, uri: &Uri, headers: &HeaderMap, refused: Refused) -> Response {
    let Refused { mut failure, who, is_wrong } = refused;
    let (peer, guard) = (peer::current(), &gateway.0.guard);
    let wait = peer.filter(|_| is_wrong).and_then(|peer| guard.attempts.note(peer));
    if wait.is_some() {
        failure = Failure::too_many_attempts();
    }
    let caller = who.as_ref();
    let (status, address, reason) = (failure.status(), uri.path(), failure.message());
    guard.audit.tell(&gateway.0.engine, &Refusal { status, address, reason, caller, peer });
    let wrong = if is_wrong { Wrong::Token } else { Wrong::Nothing };
    let mut response = failure.into_response();
    if let Some(wait) = wait {
        response.headers_mut().insert(RETRY_AFTER, wait.as_secs().max(1).into());
    }
    if status == StatusCode::UNAUTHORIZED {
        let said = challenge(gateway, headers.get(HOST), address, wrong);
        ask(&mut response, said);
    }
    response
}

/// Asks for a token, where one could be had.
fn ask(response: &mut Response, challenge: Option<HeaderValue>) {
    if let Some(challenge) = challenge {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
}

/// A caller with a name, whose refusals further in are told as well.
struct Known {
    id: Text,
    /// The role that a token would have to have; for those who came with one.
    wanted: Option<Role>,
    /// The name that it used for this server, where a token could be asked for.
    host: Option<HeaderValue>,
}

impl Known {
    fn of<B>(visitor: &Visitor, request: &Request<B>) -> Self {
        let has_token = visitor.entrance == Entrance::Token;
        let wanted = match visitor.rights.role {
            Role::Viewer => Role::Caller,
            Role::Caller | Role::Admin => Role::Admin,
        };
        Self {
            id: visitor.id.clone(),
            wanted: has_token.then_some(wanted),
            host: request.headers().get(HOST).filter(|_| has_token).cloned(),
        }
    }

    /// Looks at what a caller is answered.
    fn see_off(self, gateway: &Gateway, uri: &Uri, mut response: Response) -> Response {
        let status = response.status();
        if !matches!(status, StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS) {
            return response;
        }
        let why = response.extensions().get::<Why>().map(|why| why.0.as_ref());
        let reason = why.or(status.canonical_reason()).unwrap_or_default();
        let (address, caller, peer) = (uri.path(), Some(&self.id), peer::current());
        let refusal = Refusal { status, address, reason, caller, peer };
        gateway.0.guard.audit.tell(&gateway.0.engine, &refusal);
        if let (StatusCode::FORBIDDEN, Some(role)) = (status, self.wanted) {
            let said = challenge(gateway, self.host.as_ref(), address, Wrong::Scope(role));
            ask(&mut response, said);
        }
        response
    }
}
