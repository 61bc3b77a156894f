//! Documents with a tag: who has one already is told that it is still good.

use std::hash::{DefaultHasher, Hasher};

use axum::{
    body::Body,
    http::{
        HeaderMap, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;

/// Answers a document, or that the one which the client has is the same.
///
/// The tag is one of the text: what it shows comes from the registry, from files and from running
/// services, and no counter knows all of these.
pub(super) fn answer(headers: &HeaderMap, kind: &'static str, text: Bytes) -> Response {
    let mut hasher = DefaultHasher::new();
    hasher.write(&text);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|value| fits(value, &tag));
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let mut response = Response::new(Body::from(text));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        response
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    // Callers see different tools: nobody may keep this for others.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("authorization, x-api-key"));
    response
}

/// Tells whether a list of tags, or `*`, holds this one (RFC 9110 §13.1.2, weak comparison).
fn fits(value: &HeaderValue, tag: &str) -> bool {
    let tags = value.to_str().unwrap_or("").split(',').map(str::trim);
    tags.map(|known| known.strip_prefix("W/").unwrap_or(known))
        .any(|known| known == tag || known == "*")
}
