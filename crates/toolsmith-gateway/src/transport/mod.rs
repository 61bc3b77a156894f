//! From an accepted connection to bytes: as they come, or through TLS.

mod identity;
mod stream;
mod tls;

use std::time::Duration;

use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    time::{Instant, timeout_at},
};

pub(crate) use self::stream::Stream;
pub use self::{identity::TlsError, tls::Tls};

/// How long a client may take until both ends have agreed on their keys.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The first byte of every client that speaks TLS.
const TLS_HANDSHAKE: u8 = 22;

/// What a client is told that speaks plain HTTP where TLS is spoken.
const PLAIN: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n\
                     connection: close\r\ncontent-length: ";
const USE_TLS: &str = "{\"error\":{\"type\":\"bad_request\",\"message\":\"This port speaks TLS: \
                       use an address that begins with https://.\"}}";

/// Makes streams of connections.
#[derive(Debug)]
pub(crate) struct Transport(Option<Tls>);

impl Transport {
    pub(crate) fn new(tls: Option<Tls>) -> Self {
        Self(tls)
    }

    /// Returns what requests are read from; nothing when the client does not come that far.
    ///
    /// It is awaited by the task of the connection, so that a slow client holds up nobody else.
    pub(crate) async fn open(&self, stream: TcpStream) -> Option<Stream> {
        let Some(tls) = &self.0 else { return Some(Stream::Plain(stream)) };
        let opened = timeout_at(Instant::now() + HANDSHAKE, secure(tls, stream)).await;
        opened.ok().flatten()
    }
}

async fn secure(tls: &Tls, mut stream: TcpStream) -> Option<Stream> {
    let mut first = [0];
    let seen = stream.peek(&mut first).await.ok()?;
    if seen == 1 && first != [TLS_HANDSHAKE] {
        let answer = format!("{PLAIN}{}\r\n\r\n{USE_TLS}", USE_TLS.len());
        stream.write_all(answer.as_bytes()).await.ok();
        stream.shutdown().await.ok();
        drain(&mut stream).await;
        return None;
    }
    match tls.acceptor().await.accept(stream).await {
        Ok(stream) => Some(Stream::Secure(Box::new(stream))),
        Err(error) => {
            tracing::debug!(%error, "a client did not come to agree on TLS");
            None
        }
    }
}

/// Reads what a client still sends: closing before it has been read would take back the answer.
async fn drain(stream: &mut TcpStream) {
    let mut rest = [0; 4_096];
    let mut most = 16;
    while most > 0 && matches!(tokio::io::AsyncReadExt::read(stream, &mut rest).await, Ok(1..)) {
        most -= 1;
    }
}
