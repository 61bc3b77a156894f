//! Which headers a request may carry, and which stay behind when it is sent elsewhere.

use reqwest::header::{self, HeaderMap, HeaderName};

use crate::{Guard, NetError};

/// Headers that belong to the connection: set by hand they could split or hide a request.
const OF_THE_CONNECTION: [HeaderName; 8] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Headers that show who someone is.
const CREDENTIALS: [HeaderName; 3] =
    [header::AUTHORIZATION, header::COOKIE, header::PROXY_AUTHORIZATION];

/// Headers that describe a body.
const OF_THE_BODY: [HeaderName; 4] = [
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    header::CONTENT_LANGUAGE,
    header::CONTENT_LOCATION,
];

/// Refuses headers that are not the caller's to set.
pub(crate) fn check(headers: &mut HeaderMap, guard: Guard) -> Result<(), NetError> {
    // The client asks for the encodings that it can undo, and counts the bytes behind them.
    headers.remove(header::ACCEPT_ENCODING);
    let is_forbidden = |name: &&HeaderName| {
        OF_THE_CONNECTION.contains(name) || (guard == Guard::Public && **name == header::HOST)
    };
    match headers.keys().find(is_forbidden) {
        Some(name) => Err(NetError::Invalid(format!(
            "the header `{name}` is set by the client itself and cannot be given"
        ))),
        None => Ok(()),
    }
}

/// Takes out what must not reach another origin; values that are marked sensitive count too.
pub(crate) fn drop_credentials(headers: &mut HeaderMap) {
    let secret = |name: &HeaderName| {
        CREDENTIALS.contains(name)
            || *name == header::HOST
            || headers.get_all(name).iter().any(header::HeaderValue::is_sensitive)
    };
    let names: Vec<HeaderName> = headers.keys().filter(|name| secret(name)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Takes out what describes a body that is no longer sent.
pub(crate) fn drop_body(headers: &mut HeaderMap) {
    for name in OF_THE_BODY {
        headers.remove(name);
    }
}

/// Returns the size of the headers as they came.
pub(crate) fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}
