//! What came back.

use std::{fmt, time::Duration};

use bytes::Bytes;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::{
    StatusCode, Url,
    header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, RETRY_AFTER},
};

use toolsmith_core::Redactor;

use crate::{NetError, guard::host_of};

/// How much of an answer stands in an error message, in characters.
const EXCERPT: usize = 400;

/// How many bytes of an answer are looked at for that; what is cut off here is not shown.
const LOOKED_AT: usize = 64 * 1024;

/// What came back, read to its end.
#[derive(Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The address that answered, after redirects.
    pub url: Url,
    /// The body, unpacked.
    pub body: Bytes,
    /// Whether the body had more than the limit and is only its beginning.
    pub is_cut: bool,
}

impl Response {
    /// Returns a header as text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the media type without its parameters, in lower case; empty when none is given.
    pub fn media_type(&self) -> String {
        let value = self.header(&CONTENT_TYPE).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Returns the body as text; bytes that are no UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns how long the other end asks to wait.
    ///
    /// A date is measured against the answer's own, so that nobody's clock needs to be right.
    pub fn retry_after(&self) -> Option<Duration> {
        let value = self.header(&RETRY_AFTER)?.trim();
        if let Ok(seconds) = value.parse() {
            return Some(Duration::from_secs(seconds));
        }
        let moment = |text| DateTimeParser::new().parse_timestamp(text).ok();
        let wait = moment(value)?.duration_since(moment(self.header(&DATE)?)?);
        Duration::try_from(wait).ok()
    }

    /// Returns the response of a success, and an error otherwise.
    ///
    /// The error shows the beginning of the answer. Secrets are taken out before it is cut: of a
    /// secret that the cut would go through, the rest could not be recognised any more.
    pub fn into_success(self, redactor: &Redactor) -> Result<Self, NetError> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(NetError::Status {
            host: host_of(&self.url),
            status: self.status,
            retry_after: self.retry_after(),
            excerpt: self.excerpt(redactor),
        })
    }

    /// Returns the beginning of the body on one line, for an error message.
    fn excerpt(&self, redactor: &Redactor) -> String {
        let start = self.body.get(..LOOKED_AT).unwrap_or(&self.body);
        let text = String::from_utf8_lossy(start);
        let text = redactor.text(&text);
        let mut words = text.split(|c: char| c.is_whitespace() || c.is_control());
        let line = words.by_ref().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}

/// An address may hold a key and a body anything, so only the rest is shown.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("origin", &self.url.origin().ascii_serialization())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body_bytes", &self.body.len())
            .field("is_cut", &self.is_cut)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::Secret;

    use super::*;

    fn response(headers: &[(&'static str, &str)], body: &'static str) -> Response {
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
        Response {
            status: StatusCode::SERVICE_UNAVAILABLE,
            headers: pairs.collect(),
            url: "https://a.example/".parse().unwrap(),
            body: body.into(),
            is_cut: false,
        }
    }

    #[test]
    fn a_wait_is_read_in_seconds_and_as_a_date() {
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        let wait = |value| response(&[("retry-after", value), date], "").retry_after();
        assert_eq!(wait("90"), Some(Duration::from_secs(90)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), None);
        assert_eq!(wait("soon"), None);
    }

    #[test]
    fn a_failure_shows_the_beginning_of_its_answer_on_one_line() {
        let long = "x".repeat(10_000);
        let error =
            response(&[], "{\n  \"e\":\t\"down\u{1b}[31m\"\n}").into_success(&Redactor::default());
        let error = error.unwrap_err();
        let message = error.into_tool_error().message().to_owned();
        assert!(message.ends_with(r#"Its answer: { "e": "down [31m" }"#), "{message}");
        let mut cut = response(&[], "");
        cut.body = long.into();
        assert_eq!(cut.excerpt(&Redactor::default()).chars().count(), EXCERPT + 1);
        let redactor = Redactor::default();
        redactor.add(&Secret::new("supersecretvalue".to_owned()));
        for filler in 380..400 {
            cut.body = format!("{}supersecretvalue", "x".repeat(filler)).into();
            assert!(!cut.excerpt(&redactor).contains("su"), "{filler}");
        }
    }

    #[test]
    fn nothing_that_may_be_a_secret_is_shown() {
        let mut response = response(&[("set-cookie", "s3cret")], "s3cret");
        response.url = "https://a.example/s3cret?key=s3cret".parse().unwrap();
        let shown = format!("{response:?}");
        assert!(!shown.contains("s3cret") && shown.contains("set-cookie"), "{shown}");
    }
}
