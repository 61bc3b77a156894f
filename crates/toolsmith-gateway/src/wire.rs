//! A connection on which refusals of the protocol itself are answered like all others.
//!
//! What cannot be read as HTTP never reaches a handler: hyper answers it with a bare head, or not
//! at all. Here such a head gets a body that says what is wrong.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Buf, Bytes};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    time::timeout,
};

use crate::http::Failure;

/// How long what a client still sends is thrown away after the last answer.
///
/// Closing a connection with unread bytes resets it, and a reset takes away answers that the
/// client has not read yet.
const LINGERING: Duration = Duration::from_secs(2);

/// The longest head that hyper writes by itself.
const LONGEST_BARE_HEAD: usize = 160;

const END_OF_HEAD: &[u8] = b"\r\n\r\n";
const NO_BODY: &str = "content-length: 0\r\n";

/// A connection whose bare refusals get a body.
#[derive(Debug)]
pub(crate) struct Wire<S> {
    stream: S,
    /// What is left to send of a refusal, once there is one.
    refusal: Option<Bytes>,
    is_at_end: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Wire<S> {
    /// Speaks through a stream.
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, refusal: None, is_at_end: false }
    }

    /// Tells whether a refusal was sent.
    pub(crate) fn has_refused(&self) -> bool {
        self.refusal.is_some()
    }

    /// Answers a request that no handler has seen.
    pub(crate) async fn refuse(&mut self, failure: &Failure) {
        let head = format!("HTTP/1.1 {}\r\nconnection: close\r\n{NO_BODY}\r\n", failure.status());
        let answer = with_body(&head, failure);
        // A client that does not take it has no use for it.
        timeout(LINGERING, self.stream.write_all(&answer)).await.ok();
        self.refusal = Some(Bytes::new());
    }

    /// Lets a client that still sends read its last answer.
    pub(crate) async fn linger(mut self) {
        if self.is_at_end {
            return;
        }
        let reading = async {
            self.stream.shutdown().await.ok();
            let mut thrown_away = vec![0; 64 << 10];
            while self.stream.read(&mut thrown_away).await.is_ok_and(|count| count > 0) {}
        };
        timeout(LINGERING, reading).await.ok();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let room = buffer.remaining();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buffer))?;
        this.is_at_end = room > 0 && buffer.remaining() == room;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match bare_refusal(bytes) {
            None => Pin::new(&mut this.stream).poll_write(cx, bytes),
            Some((0, head)) => {
                let refusal = this.refusal.get_or_insert_with(|| answer_for(head));
                while refusal.has_remaining() {
                    let count = ready!(Pin::new(&mut this.stream).poll_write(cx, refusal))?;
                    if count == 0 {
                        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                    }
                    refusal.advance(count);
                }
                Poll::Ready(Ok(bytes.len()))
            }
            // Answers to earlier requests come first.
            Some((before, _)) => {
                let earlier = bytes.get(..before).unwrap_or(bytes);
                Pin::new(&mut this.stream).poll_write(cx, earlier)
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// Finds a refusal without a body at the end of what is written, and where it begins.
///
/// All refusals of handlers have a body, so that one without is hyper's own.
fn bare_refusal(bytes: &[u8]) -> Option<(usize, &str)> {
    if !bytes.ends_with(END_OF_HEAD) {
        return None;
    }
    let start = bytes.len().saturating_sub(LONGEST_BARE_HEAD);
    let last = bytes.get(start..)?;
    let begin = last.windows(10).rposition(|piece| piece == b"HTTP/1.1 4")?;
    let head = str::from_utf8(last.get(begin..)?).ok()?;
    let is_bare = head.contains(NO_BODY) && matches!(head.get(9..12), Some("400" | "414" | "431"));
    is_bare.then_some((start + begin, head))
}

fn answer_for(head: &str) -> Bytes {
    let failure = match head.get(9..12) {
        Some("400") => Failure::unreadable_head(),
        _ => Failure::head_too_large(),
    };
    with_body(head, &failure)
}

fn with_body(head: &str, failure: &Failure) -> Bytes {
    let document = failure.document();
    let length = document.len();
    let about = format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    let head = head.replace(NO_BODY, &about);
    [head.into_bytes(), document].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &[u8] = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\
                          content-length: 0\r\ndate: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n";

    /// Writes pieces through a pipe that takes a few bytes at a time.
    async fn written(bytes: &[u8]) -> String {
        let (near, mut far) = tokio::io::duplex(7);
        let mut wire = Wire::new(near);
        let reading = tokio::spawn(async move {
            let mut text = String::new();
            far.read_to_string(&mut text).await.map(|_| text)
        });
        wire.write_all(bytes).await.unwrap();
        drop(wire);
        reading.await.unwrap().unwrap()
    }

    #[tokio::test]
    async fn a_bare_refusal_gets_a_body_behind_what_was_answered_before() {
        let earlier = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        let text = written(&[earlier, BARE].concat()).await;
        let rest = text.strip_prefix(str::from_utf8(earlier).unwrap()).unwrap();
        let (head, body) = rest.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 ") && head.contains("\r\ndate: Mon"), "{head}");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert!(body.contains(r#""error":{"type":"too_large""#), "{body}");
    }

    #[tokio::test]
    async fn everything_else_goes_through_as_it_is() {
        for text in [
            "HTTP/1.1 304 Not Modified\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
            "0\r\n\r\n",
        ] {
            assert_eq!(written(text.as_bytes()).await, text);
        }
    }
}
