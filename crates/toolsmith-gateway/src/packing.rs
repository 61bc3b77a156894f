//! Bodies packed by gzip: answers for who takes them so, and requests that come so.

use std::io::{self, Read, Write};

use axum::{
    body::{Body, HttpBody},
    http::{
        HeaderMap, HeaderValue,
        header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY},
    },
    response::Response,
};
use bytes::Bytes;
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use http_body_util::BodyExt;
use tokio::task::spawn_blocking;

use crate::accepted;

/// The least that is worth packing: below this a packet is a packet.
const LEAST: u64 = 1 << 10;

/// What takes long enough to pack that others should not wait for it.
const MUCH: u64 = 64 << 10;

/// Whether a client takes packed answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// It does.
    Packed,
    /// It does not, or it is not done here.
    Plain,
}

impl Wish {
    /// Reads what a client accepts (RFC 9110 §12.5.3).
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let Some(value) = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()) else {
            return Self::Plain;
        };
        let mut codings = value.split(',').filter_map(accepted::named);
        let takes = codings.any(|coding| matches!(coding, "gzip" | "x-gzip" | "*"));
        if takes { Self::Packed } else { Self::Plain }
    }
}

/// Tells whether an answer is whole and large enough to be packed.
pub(crate) fn is_worth_it(response: &Response) -> bool {
    response.body().size_hint().exact().is_some_and(|size| size >= LEAST)
}

/// Packs an answer that is whole, large enough, and for a client that takes it so.
pub(crate) async fn pack(response: Response, wish: Wish) -> Response {
    let Some(size) = response.body().size_hint().exact().filter(|size| *size >= LEAST) else {
        return response;
    };
    if !is_packable(response.headers()) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // Caches on the way keep both forms apart.
    head.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    if wish == Wish::Plain {
        return Response::from_parts(head, body);
    }
    let Ok(plain) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        return Response::from_parts(head, Body::empty());
    };
    let packed = if size < MUCH {
        packed(&plain).ok()
    } else {
        let plain = plain.clone();
        spawn_blocking(move || packed(&plain)).await.ok().and_then(Result::ok)
    };
    let Some(packed) = packed.filter(|packed| packed.len() < plain.len()) else {
        return Response::from_parts(head, Body::from(plain));
    };
    head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    head.headers.remove(CONTENT_LENGTH);
    weaken(&mut head.headers);
    Response::from_parts(head, Body::from(packed))
}

/// Text packs well; what is packed already, and streams, are left alone.
fn is_packable(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_text = kind.starts_with("application/json") || kind.starts_with("text/");
    is_text && !kind.starts_with("text/event-stream") && !headers.contains_key(CONTENT_ENCODING)
}

/// A tag of the bytes is no tag of the packed ones; a weak one is of what they say.
fn weaken(headers: &mut HeaderMap) {
    let strong = headers.get(ETAG).and_then(|tag| tag.to_str().ok());
    let weak = strong.filter(|tag| !tag.starts_with("W/")).map(|tag| format!("W/{tag}"));
    if let Some(Ok(tag)) = weak.map(HeaderValue::try_from) {
        headers.insert(ETAG, tag);
    }
}

fn packed(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    encoder.write_all(plain)?;
    encoder.finish()
}

/// Why a packed body is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unpackable {
    /// It holds more than is read.
    TooLarge,
    /// It is not what it says, or broke off.
    Broken,
}

/// Unpacks a body, of which no more than so many bytes are ever made.
pub(crate) async fn unpack(packed: Bytes, most: usize) -> Result<Bytes, Unpackable> {
    let unpacking = spawn_blocking(move || {
        let mut plain = Vec::new();
        // One byte more than is allowed tells that there is more.
        let bound = (most as u64).saturating_add(1);
        let read = MultiGzDecoder::new(&*packed).take(bound).read_to_end(&mut plain);
        match read {
            Ok(_) if plain.len() > most => Err(Unpackable::TooLarge),
            Ok(_) => Ok(Bytes::from(plain)),
            Err(_) => Err(Unpackable::Broken),
        }
    });
    unpacking.await.unwrap_or(Err(Unpackable::Broken))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(value: &'static str) -> Wish {
        let value = HeaderValue::from_static(value);
        Wish::of(&HeaderMap::from_iter([(ACCEPT_ENCODING, value)]))
    }

    #[test]
    fn what_a_client_refuses_is_not_sent() {
        for value in ["gzip", "br, gzip;q=0.5", "*", "deflate , x-gzip"] {
            assert_eq!(wish(value), Wish::Packed, "{value}");
        }
        for value in ["", "identity", "br", "gzip;q=0", "gzip; q=0.0"] {
            assert_eq!(wish(value), Wish::Plain, "{value}");
        }
        assert_eq!(Wish::of(&HeaderMap::new()), Wish::Plain);
    }

    #[tokio::test]
    async fn a_bomb_is_stopped_at_the_bound() {
        let bomb = Bytes::from(packed(&vec![b' '; 10 << 20]).unwrap());
        assert!(bomb.len() < 100_000);
        assert_eq!(unpack(bomb.clone(), 1 << 20).await, Err(Unpackable::TooLarge));
        assert_eq!(unpack(bomb.clone(), 10 << 20).await.unwrap().len(), 10 << 20);
        assert_eq!(unpack(bomb.slice(..1_000), 10 << 20).await, Err(Unpackable::Broken));
        assert_eq!(unpack(Bytes::from_static(b"{}"), 10).await, Err(Unpackable::Broken));
    }
}
