//! What a request shows to be let in: in its head, never in its address.

use axum::http::{HeaderMap, header::AUTHORIZATION};

use super::refused::Refused;

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
        let key = headers.get("x-api-key").map(|value| value.to_str().map_err(|_| unreadable()));
        Ok(key.transpose()?.map(Self::Key))
    }

    /// Returns the text.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Bearer(text) | Self::Key(text) => text,
        }
    }
}
