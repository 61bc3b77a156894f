//! Around every answer: counted, packed, and told to whoever wants to know.

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::HttpBody,
    http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header::HeaderName},
    response::Response,
};
use hyper::body::Incoming;
use tokio::time::Instant;
use toolsmith_core::{Text, TraceContext, Tracer as _, to_millis};

use crate::{
    Answers, Gateway,
    access::Line,
    http::Answering,
    metrics::{Route, place_of},
    packing::{self, Wish},
    telemetry::{self, Role, Span, Value},
};

/// The header by which a request is known, to its client and in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header that tells the id of a call.
pub(crate) const CALL_ID: HeaderName = HeaderName::from_static("x-call-id");

/// The status of a request whose client left before it was answered: only logs ever see it.
const CLIENT_LEFT: u16 = 499;

/// The longest path and name that is written down.
const LONGEST: usize = 256;

/// Who sent a request, as an answer remembers it on its way out.
#[derive(Clone, Debug)]
pub(crate) struct Sender(pub(crate) Text);

/// A connection whose requests are answered.
pub(crate) struct Watched {
    answering: Arc<Answering>,
    gateway: Gateway,
    peer: SocketAddr,
}

impl Watched {
    pub(crate) fn new(answering: Arc<Answering>, gateway: Gateway, peer: SocketAddr) -> Self {
        Self { answering, gateway, peer }
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request<Incoming>) -> Result<Response, Infallible> {
        let config = &self.gateway.0.config;
        let packs = config.answers == Answers::Packed;
        let wish = if packs { Wish::of(request.headers()) } else { Wish::Plain };
        let mut open = Open {
            place: (Route::of(request.uri().path()), place_of(request.method())),
            started: Instant::now(),
            visit: config.is_watched().then(|| Box::new(Visit::new(&self.gateway, &request))),
            status: None,
            watched: self,
        };
        let answering = pin!(self.answering.answer(request));
        let mut response = match &mut open.visit {
            None => answering.await,
            Some(visit) => Box::pin(visit.follow(answering)).await,
        };
        if packs && packing::is_worth_it(&response) {
            response = Box::pin(packing::pack(response, wish)).await;
        }
        open.close(&mut response);
        Ok(response)
    }
}

/// A request that is being answered; one whose client leaves ends, too.
struct Open<'a> {
    watched: &'a Watched,
    place: (Route, usize),
    started: Instant,
    visit: Option<Box<Visit>>,
    status: Option<StatusCode>,
}

impl Open<'_> {
    fn close(mut self, response: &mut Response) {
        self.status = Some(response.status());
        if let Some(visit) = &mut self.visit {
            visit.learn(response);
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let left = StatusCode::from_u16(CLIENT_LEFT).unwrap_or(StatusCode::BAD_REQUEST);
        let (status, duration) = (self.status.unwrap_or(left), self.started.elapsed());
        self.watched.gateway.0.metrics.requests.count(self.place, status, duration);
        if let Some(visit) = self.visit.take() {
            visit.end(self.watched, self.place.0, status, duration);
        }
    }
}

/// What has to be known of a request once it is answered.
struct Visit {
    request_id: HeaderValue,
    method: Method,
    path: Text,
    span: Option<TraceContext>,
    parent: Option<TraceContext>,
    call_id: Option<Text>,
    caller: Option<Text>,
    bytes: Option<u64>,
}

impl Visit {
    fn new(gateway: &Gateway, request: &Request<Incoming>) -> Self {
        let headers = request.headers();
        let parent = || headers.get("traceparent")?.to_str().ok()?.parse().ok();
        let telemetry = gateway.0.config.telemetry.as_ref();
        let parent: Option<TraceContext> = telemetry.and_then(|_| parent());
        Self {
            request_id: request_id(headers),
            method: request.method().clone(),
            path: beginning(request.uri().path()),
            span: telemetry.map(|telemetry| telemetry.begin(parent)),
            parent,
            call_id: None,
            caller: None,
            bytes: None,
        }
    }

    /// Waits for an answer at this request's place in its trace, and learns of its call.
    async fn follow<F: Future>(&mut self, answering: F) -> F::Output {
        let noting = telemetry::noting(answering);
        let (response, call_id) = match self.span {
            Some(span) => telemetry::within(span, noting).await,
            None => noting.await,
        };
        self.call_id = call_id.map(|id| id.to_string().into());
        response
    }

    /// Learns what only the answer knows.
    fn learn(&mut self, response: &mut Response) {
        response.headers_mut().insert(REQUEST_ID, self.request_id.clone());
        let call_id = response.headers().get(&CALL_ID).and_then(|id| id.to_str().ok());
        self.call_id = call_id.map(Text::from).or_else(|| self.call_id.take());
        self.caller = response.extensions().get::<Sender>().map(|Sender(id)| id.clone());
        self.bytes = response.body().size_hint().exact();
    }

    /// Tells the log and the trace what came of the request.
    fn end(self, watched: &Watched, route: Route, status: StatusCode, duration: Duration) {
        let config = &watched.gateway.0.config;
        let started_at = watched.gateway.0.engine.now().minus(duration);
        if let (Some(telemetry), Some(place)) = (&config.telemetry, self.span) {
            telemetry.take(Span {
                place,
                parent: self.parent,
                name: format!("{} {}", self.method, route.as_str()).trim_end().to_owned(),
                role: Role::Server,
                started_at,
                duration,
                attributes: self.attributes(watched, route, status),
                is_failed: status.is_server_error(),
            });
        }
        if let Some(log) = &config.access_log {
            log.take(Line {
                time: started_at,
                request_id: text_of(&self.request_id),
                method: Text::from(self.method.as_str()),
                path: self.path,
                route: route.as_str(),
                status: status.as_u16(),
                duration_ms: to_millis(duration),
                bytes: self.bytes,
                caller: self.caller,
                peer: watched.peer.ip().to_string().into(),
                call_id: self.call_id,
                trace_id: self.span.map(|span| trace_id(&span)),
            });
        }
    }

    /// Describes the request by the conventions for HTTP servers.
    fn attributes(
        &self,
        watched: &Watched,
        route: Route,
        status: StatusCode,
    ) -> Vec<(&'static str, Value)> {
        let is_secured = watched.gateway.0.config.tls.is_some();
        let scheme = if is_secured { "https" } else { "http" };
        let mut attributes = vec![
            ("http.request.method", self.method.as_str().into()),
            ("url.path", Value::Text(self.path.clone())),
            ("url.scheme", scheme.into()),
            ("http.response.status_code", Value::Whole(status.as_u16().into())),
            ("client.address", Value::Text(watched.peer.ip().to_string().into())),
        ];
        if !route.as_str().is_empty() {
            attributes.push(("http.route", route.as_str().into()));
        }
        if status.is_server_error() {
            attributes.push(("error.type", status.as_str().into()));
        }
        attributes
    }
}

/// Returns the id that a client gave its request, when it is sane, or a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let is_sane = |id: &&HeaderValue| {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(byte);
        (1..=128).contains(&id.len()) && id.as_bytes().iter().all(is_plain)
    };
    let given = headers.get(REQUEST_ID).filter(is_sane).cloned();
    given.unwrap_or_else(|| {
        let made = HeaderValue::try_from(format!("{:032x}", fastrand::u128(..)));
        made.unwrap_or_else(|_| HeaderValue::from_static("-"))
    })
}

fn text_of(value: &HeaderValue) -> Text {
    Text::from(value.to_str().unwrap_or_default())
}

fn trace_id(span: &TraceContext) -> Text {
    format!("{:032x}", u128::from_be_bytes(span.trace_id)).into()
}

/// Cuts a path: it is a stranger's text, and as long as they like.
fn beginning(path: &str) -> Text {
    Text::from(path.get(..path.floor_char_boundary(LONGEST)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_break_a_log_is_not_taken_over() {
        let of = |id: &[u8]| {
            let id = HeaderValue::from_bytes(id).unwrap();
            text_of(&request_id(&HeaderMap::from_iter([(REQUEST_ID, id)])))
        };
        assert_eq!(of(b"abc-123:/+="), "abc-123:/+=");
        for wrong in [&b"a b"[..], b"\"x\"", b"{}", &[b'a'; 200], &[0xff]] {
            assert_eq!(of(wrong).len(), 32, "{wrong:?}");
        }
    }
}
