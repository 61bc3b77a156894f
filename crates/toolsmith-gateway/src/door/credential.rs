//! What a request shows to be let in: in its head, never in its address.

use axum::http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, HOST, ORIGIN},
};

use super::refused::Refused;

/// The header for a key alone.
const KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Copies what a request showed to be let in, for somebody who stays and will be asked again.
///
/// The values of a request are parts of the buffer that it was read into: whoever keeps one of them
/// keeps eight kilobytes.
pub(crate) fn shown_by(headers: &HeaderMap) -> HeaderMap {
    let mut shown = HeaderMap::new();
    for name in [HOST, ORIGIN, AUTHORIZATION, KEY] {
        for value in headers.get_all(&name) {
            // What was a value once is one again.
            shown
                .extend(HeaderValue::from_bytes(value.as_bytes()).map(|copy| (name.clone(), copy)));
        }
    }
    shown
}

/// A key or a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Credential<'a> {
    /// What came as `Authorization: Bearer`: a key of ours, or a token of somebody else.
    Bearer(&'a str),
    /// What came as `X-API-Key`: a key of ours.
    Key(&'a str),
}

impl<'a> Credential<'a> {
    /// Returns what a request shows, if it shows anything.
    pub(super) fn of(headers: &'a HeaderMap) -> Result<Option<Self>, Refused> {
        let unreadable = || Refused::credential("The key cannot be read.");
        if let Some(value) = headers.get(AUTHORIZATION) {
            let text = value.to_str().map_err(|_| unreadable())?;
            let (scheme, key) = text.split_once(' ').ok_or_else(unreadable)?;
            if !scheme.eq_ignore_ascii_case("bearer") {
                let why = "Send the key as `Authorization: Bearer KEY`.";
                return Err(Refused::credential(why));
            }
            return Ok(Some(Self::Bearer(key.trim())));
        }
        let key = headers.get(&KEY).map(|value| value.to_str().map_err(|_| unreadable()));
        Ok(key.transpose()?.map(Self::Key))
    }

    /// Returns the text.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Bearer(text) | Self::Key(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shown_is_kept_whole_and_nothing_else() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (HOST, "localhost"),
            (ORIGIN, "https://a.example"),
            (ORIGIN, "https://b.example"),
            (AUTHORIZATION, "Bearer abc"),
            (KEY, "def"),
            (HeaderName::from_static("cookie"), "much"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        let shown = shown_by(&headers);
        headers.remove("cookie");
        assert_eq!(shown, headers);
    }
}
