//! Bodies of requests, read whole within bounds.

use std::{future::poll_fn, pin::pin, task::Poll};

use axum::{
    body::Body,
    http::{
        HeaderMap,
        header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE},
    },
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::answer::Failure;
use crate::{
    GatewayConfig,
    packing::{self, Unpackable},
    words,
};

/// Reads a JSON body.
pub(super) async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    config: &GatewayConfig,
) -> Result<T, Failure> {
    let text = json_bytes(headers, body, config).await?;
    serde_json::from_slice(&text).map_err(|error| {
        let why = words::plain(&error);
        Failure::bad_request(format!("The body cannot be read: {why}."))
    })
}

/// Reads the bytes of a JSON body.
pub(crate) async fn json_bytes(
    headers: &HeaderMap,
    body: Body,
    config: &GatewayConfig,
) -> Result<Bytes, Failure> {
    check_type(headers, is_json)?;
    whole(headers, body, config).await
}

/// Reads a body of JSON or YAML as text.
pub(super) async fn text(
    headers: &HeaderMap,
    body: Body,
    config: &GatewayConfig,
) -> Result<String, Failure> {
    check_type(headers, |headers| is_json(headers) || is_yaml(headers))?;
    let text = whole(headers, body, config).await?;
    String::from_utf8(text.into()).map_err(|_| Failure::bad_request("The body is not UTF-8 text."))
}

/// A form that a browser sends without asking has another type: it must not make calls.
fn check_type(headers: &HeaderMap, is_right: impl Fn(&HeaderMap) -> bool) -> Result<(), Failure> {
    if is_right(headers) { Ok(()) } else { Err(Failure::wrong_type()) }
}

fn is_json(headers: &HeaderMap) -> bool {
    essence(headers).eq_ignore_ascii_case("application/json")
}

/// Tells whether a body is YAML, by the name it has (RFC 9512) and those it had.
pub(super) fn is_yaml(headers: &HeaderMap) -> bool {
    let names = ["application/yaml", "application/x-yaml", "text/yaml"];
    names.iter().any(|name| essence(headers).eq_ignore_ascii_case(name))
}

fn essence(headers: &HeaderMap) -> &str {
    let written = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    written.split(';').next().unwrap_or("").trim()
}

async fn whole(headers: &HeaderMap, body: Body, config: &GatewayConfig) -> Result<Bytes, Failure> {
    let most = config.max_body_bytes;
    let coding = coding(headers)?;
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|text| text.parse::<u64>().ok()).is_some_and(|n| n > most as u64) {
        return Err(Failure::too_large(most));
    }
    let mut reading = pin!(pieces(body, most));
    // A small body has come with its head: nothing has to be waited for.
    let read = match poll_fn(|cx| Poll::Ready(reading.as_mut().poll(cx))).await {
        Poll::Ready(read) => read,
        Poll::Pending => {
            timeout(config.read_timeout, reading).await.map_err(|_| Failure::too_slow())?
        }
    }?;
    match coding {
        Coding::Plain => Ok(read),
        Coding::Gzip => packing::unpack(read, most).await.map_err(|why| match why {
            Unpackable::TooLarge => Failure::too_large(most),
            Unpackable::Broken => Failure::bad_request("The body is not packed by gzip."),
        }),
    }
}

/// Reads a body to its end; one that comes in one piece is not copied.
async fn pieces(mut body: Body, most: usize) -> Result<Bytes, Failure> {
    let (mut first, mut all) = (Bytes::new(), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Failure::bad_request("The body broke off."))?;
        let Ok(piece) = frame.into_data() else { continue };
        if first.len() + all.len() + piece.len() > most {
            return Err(Failure::too_large(most));
        }
        if first.is_empty() && all.is_empty() {
            first = piece;
            continue;
        }
        all.extend_from_slice(&std::mem::take(&mut first));
        all.extend_from_slice(&piece);
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Plain,
    Gzip,
}

fn coding(headers: &HeaderMap) -> Result<Coding, Failure> {
    let Some(value) = headers.get(CONTENT_ENCODING) else { return Ok(Coding::Plain) };
    match value.to_str().map(str::trim) {
        Ok("" | "identity") => Ok(Coding::Plain),
        Ok("gzip" | "x-gzip") => Ok(Coding::Gzip),
        _ => Err(Failure::wrong_coding()),
    }
}
