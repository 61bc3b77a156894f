//! One connection of HTTP/1.1, kept open: a request goes out whole, an answer is read whole.

use std::net::SocketAddr;

use anyhow::{Context, Result, ensure};
use memchr::memmem;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    /// What was read of the answer.
    read: Vec<u8>,
}

/// A whole answer.
pub(crate) struct Answer<'a> {
    head: &'a str,
    /// The body, as it came over the wire.
    pub(crate) body: &'a [u8],
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::with_capacity(16 << 10) })
    }

    /// Sends a request and reads the answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.read.clear();
        let (mut head_ends, mut ends) = (None, None);
        loop {
            let count = self.stream.read_buf(&mut self.read).await?;
            ensure!(count > 0, "the server has closed the connection");
            if head_ends.is_none() {
                head_ends = memmem::find(&self.read, b"\r\n\r\n").map(|end| end + 4);
                ends = head_ends.map(|end| End::of(&self.read[..end])).transpose()?;
            }
            let (Some(head), Some(end)) = (head_ends, &ends) else { continue };
            if end.is_reached(&self.read[head..]) {
                let (head, body) = self.read.split_at(head);
                return Ok(Answer { head: std::str::from_utf8(head)?, body });
            }
        }
    }
}

/// Where a body ends.
enum End {
    After(usize),
    LastChunk,
}

impl End {
    fn of(head: &[u8]) -> Result<Self> {
        let head = std::str::from_utf8(head)?;
        if let Some(length) = header(head, "content-length") {
            return Ok(Self::After(length.parse()?));
        }
        if header(head, "transfer-encoding").is_some() {
            return Ok(Self::LastChunk);
        }
        Ok(Self::After(0))
    }

    fn is_reached(&self, body: &[u8]) -> bool {
        match self {
            Self::After(length) => body.len() >= *length,
            Self::LastChunk => body.ends_with(b"0\r\n\r\n"),
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.split("\r\n");
    lines.find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

impl Answer<'_> {
    /// Returns a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }

    /// Fails unless the server says that all went well.
    pub(crate) fn must_be_good(&self) -> Result<()> {
        let status = self.head.get(9..12).context("no status")?;
        ensure!(
            status.starts_with('2'),
            "the server answers {status}: {}",
            String::from_utf8_lossy(self.body)
        );
        Ok(())
    }
}
