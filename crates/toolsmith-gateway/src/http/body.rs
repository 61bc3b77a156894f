//! Bodies of requests, read whole within bounds.

use axum::{
    body::Body,
    http::{
        HeaderMap,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::answer::Failure;
use crate::GatewayConfig;

/// Reads a JSON body.
pub(super) async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    config: &GatewayConfig,
) -> Result<T, Failure> {
    let text = json_bytes(headers, body, config).await?;
    serde_json::from_slice(&text)
        .map_err(|error| Failure::bad_request(format!("The body cannot be read: {error}.")))
}

/// Reads the bytes of a JSON body.
pub(crate) async fn json_bytes(
    headers: &HeaderMap,
    body: Body,
    config: &GatewayConfig,
) -> Result<Bytes, Failure> {
    check_type(headers)?;
    whole(headers, body, config).await
}

/// A form that a browser sends without asking has another type: it must not make calls.
fn check_type(headers: &HeaderMap) -> Result<(), Failure> {
    let written = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = written.split(';').next().unwrap_or("").trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Failure::wrong_type())
}

async fn whole(headers: &HeaderMap, body: Body, config: &GatewayConfig) -> Result<Bytes, Failure> {
    let most = config.max_body_bytes;
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|text| text.parse::<u64>().ok()).is_some_and(|n| n > most as u64) {
        return Err(Failure::too_large(most));
    }
    let reading = Limited::new(body, most).collect();
    let read = timeout(config.read_timeout, reading).await.map_err(|_| Failure::too_slow())?;
    read.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            return Failure::too_large(most);
        }
        Failure::bad_request("The body broke off.")
    })
}
