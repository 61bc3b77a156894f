//! Pages of other origins in a browser, which may read what is answered (CORS).
//!
//! A browser asks before it sends what a plain form could not (a preflight), and hides from the page
//! every answer and header that does not say that the page may see it.

use axum::{
    body::Body,
    http::{
        HeaderValue, Method, Request, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
        },
    },
    response::Response,
};

/// The methods of all addresses.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE");

/// What a page reads besides the body; browsers hide other headers.
const SHOWN: HeaderValue = HeaderValue::from_static(
    "etag, mcp-session-id, retry-after, www-authenticate, x-call-id, x-request-id",
);

/// For how many seconds a browser need not ask again.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// A page that may read what is answered.
#[derive(Debug)]
pub(super) struct Page(HeaderValue);

impl Page {
    /// Makes the page of an origin.
    pub(super) fn new(origin: HeaderValue) -> Self {
        Self(origin)
    }

    /// Answers a browser that asks whether the page may send a request; nothing when it does not.
    ///
    /// No key comes with the question: whether the request itself is let in is seen when it comes.
    pub(super) fn preflight<B>(&self, request: &Request<B>) -> Option<Response> {
        let asks = request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if request.method() != Method::OPTIONS || !asks {
            return None;
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        self.allow(&mut response);
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(ACCESS_CONTROL_MAX_AGE, REMEMBERED);
        // Whatever it would like to send: headers that nobody knows are not looked at.
        if let Some(wanted) = request.headers().get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        Some(response)
    }

    /// Lets the page read an answer.
    pub(super) fn allow(&self, response: &mut Response) {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.0.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, SHOWN);
        // What is kept on the way must not be given to another page.
        headers.append(VARY, ORIGIN.into());
    }
}
