//! What a client asks for in the address: the part behind the `?`, and the id of a call.

use axum::{
    extract::{FromRequestParts, Path, Query},
    http::{Uri, request::Parts},
};
use serde::de::DeserializeOwned;
use toolsmith_core::CallId;

use super::answer::Failure;
use crate::words;

/// The part behind the `?`.
#[derive(Debug)]
pub(super) struct Asked<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Self::of(&parts.uri)
    }
}

impl<T: DeserializeOwned> Asked<T> {
    /// Reads it from an address.
    pub(super) fn of(uri: &Uri) -> Result<Self, Failure> {
        let read = Query::try_from_uri(uri);
        let Query(asked) = read.map_err(|error| {
            let told = error.body_text();
            let why = told.rsplit_once("query string: ").map_or(told.as_str(), |(_, why)| why);
            let why = words::plain(&why);
            Failure::bad_request(format!("What stands behind the `?` cannot be read: {why}."))
        })?;
        Ok(Self(asked))
    }
}

/// The call that the address names.
#[derive(Debug)]
pub(super) struct OfCall(pub(super) CallId);

impl<S: Send + Sync> FromRequestParts<S> for OfCall {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let read = Path::<String>::from_request_parts(parts, state).await;
        let id = read.ok().and_then(|Path(text)| text.parse().ok());
        id.map(Self).ok_or_else(|| {
            Failure::bad_request("This is no id of a call; answers tell it in `call_id`.")
        })
    }
}
