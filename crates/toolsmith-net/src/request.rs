//! What is asked of whom.

use std::fmt;

use bytes::Bytes;
use reqwest::{
    Method, Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use toolsmith_core::Secret;

use crate::{Guard, NetError};

/// A request; the fields are public, the constructors fill in the usual ones.
///
/// ```
/// use toolsmith_net::Request;
///
/// let request = Request::get("https://example.com/").with_header("Accept", "text/html")?;
/// assert!(Request::get("https://example.com/").with_header("X", "a\r\nHost: b").is_err());
/// # Ok::<(), toolsmith_net::NetError>(())
/// ```
#[derive(Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The address, as it was written.
    pub url: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Which rules the address is under.
    pub guard: Guard,
    /// How many bytes of the answer are read, unpacked; the client's limit when absent.
    pub max_bytes: Option<usize>,
    /// What happens when the answer has more.
    pub overflow: Overflow,
    /// How many redirects are followed; the client's limit when absent.
    pub max_redirects: Option<usize>,
}

/// What happens when an answer is larger than the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It is an error.
    #[default]
    Refuse,
    /// The beginning is kept, and the response says so.
    Cut,
}

impl Request {
    /// Makes a request without headers and body, under [`Guard::Public`].
    pub fn new(method: Method, url: impl Into<String>) -> Self {
        Self {
            method,
            url: url.into(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            guard: Guard::Public,
            max_bytes: None,
            overflow: Overflow::Refuse,
            max_redirects: None,
        }
    }

    /// Makes a GET request.
    pub fn get(url: impl Into<String>) -> Self {
        Self::new(Method::GET, url)
    }

    /// Makes a POST request with a body of a media type.
    pub fn post(url: impl Into<String>, media_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut request = Self::new(Method::POST, url);
        let media_type = HeaderValue::from_static(media_type);
        request.headers.insert(reqwest::header::CONTENT_TYPE, media_type);
        request.body = body.into();
        request
    }

    /// Says that an operator configured the address.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.guard = Guard::Trusted;
        self
    }

    /// Sets a header; names and values that could break out of their line are refused.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, NetError> {
        let (name, value) = header(name, value)?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sets a header that is never shown and never follows a redirect to another origin.
    pub fn with_secret_header(mut self, name: &str, value: &Secret) -> Result<Self, NetError> {
        let (name, mut value) = header(name, value.expose())?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }
}

/// Paths, queries, headers and bodies may hold secrets, so only the rest is shown.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = Url::parse(&self.url).map(|url| url.origin().ascii_serialization());
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("origin", &origin.ok())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body_bytes", &self.body.len())
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}

/// Reads a header; the value is not repeated in the error, as it may be a secret.
fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), NetError> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| NetError::Invalid(format!("{name:?} is no name of a header")))?;
    // Bytes beyond ASCII are sent as they are; control characters are what must not pass.
    let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| {
        NetError::Invalid(format!("the value of the header `{parsed}` has control characters"))
    })?;
    Ok((parsed, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_may_be_a_secret_is_shown() {
        for url in
            ["https://user:s3cret@a.example/s3cret?key=s3cret#s3cret", "s3cret", "data:s3cret"]
        {
            let request = Request::post(url, "text/plain", "s3cret")
                .with_header("x-plain", "s3cret")
                .unwrap();
            let shown = format!("{request:?}");
            assert!(!shown.contains("s3cret") && shown.contains("x-plain"), "{shown}");
        }
        let shown = format!("{:?}", Request::get("https://a.example:8443/x?y=z"));
        assert!(shown.contains("https://a.example:8443"), "{shown}");
    }
}
