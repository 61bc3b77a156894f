//! What goes to a server on pipes, and the calls whose answers are waited for.
//!
//! The transport writes here what the library sends, and a session its calls. Writing makes nobody
//! wait: what the pipe does not take at once is kept, within a bound, and follows when the server
//! reads.

use std::{io, sync::Arc};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::{
    net::unix::pipe,
    sync::{Notify, oneshot},
};

use super::{
    calls::{Answer, Calls},
    pipes::PIECE,
    vitals::Vitals,
};

/// How much may wait for a server that does not read, in bytes.
const LONGEST_BACKLOG: usize = 32 * 1024 * 1024;

/// The way to a server.
#[derive(Debug)]
pub(super) struct Outbox {
    inner: Mutex<Inner>,
    /// The calls whose answers are waited for.
    pub(super) calls: Calls,
    /// Rung when something has to wait for room in the pipe.
    choked: Notify,
    vitals: Arc<Vitals>,
}

#[derive(Debug)]
struct Inner {
    stdin: Option<Arc<pipe::Sender>>,
    /// What is written and not yet taken.
    backlog: Vec<u8>,
}

impl Outbox {
    pub(super) fn new(stdin: pipe::Sender, vitals: Arc<Vitals>) -> Self {
        let stdin = Some(Arc::new(stdin));
        let inner = Inner { stdin, backlog: Vec::new() };
        Self { inner: Mutex::new(inner), calls: Calls::default(), choked: Notify::new(), vitals }
    }

    /// Sends a message.
    pub(super) fn send(&self, message: &impl Serialize) -> io::Result<()> {
        let mut inner = self.inner.lock();
        if inner.stdin.is_none() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        serde_json::to_writer(&mut inner.backlog, message)?;
        inner.backlog.push(b'\n');
        inner.flush()?;
        if inner.backlog.len() > LONGEST_BACKLOG {
            self.vitals.blame("it does not read what it is sent");
            inner.stdin = None;
            return Err(io::ErrorKind::WriteZero.into());
        }
        if !inner.backlog.is_empty() {
            self.choked.notify_one();
        }
        Ok(())
    }

    /// Sends a call; its answer comes to the receiver, which hears of the end of the session too.
    pub(super) fn ask(
        &self,
        id: i64,
        message: &impl Serialize,
    ) -> io::Result<oneshot::Receiver<Answer>> {
        let answer = self.calls.enter(id).ok_or(io::ErrorKind::NotConnected)?;
        if let Err(error) = self.send(message) {
            self.calls.forget(id);
            return Err(error);
        }
        Ok(answer)
    }

    /// Returns the pipe when something waits for room in it.
    pub(super) fn full_pipe(&self) -> Option<Arc<pipe::Sender>> {
        let inner = self.inner.lock();
        inner.stdin.clone().filter(|_| !inner.backlog.is_empty())
    }

    /// Returns when something has to wait for room in the pipe.
    pub(super) async fn choked(&self) {
        self.choked.notified().await;
    }

    /// Writes what waits, as much as the pipe takes.
    pub(super) fn flush(&self) {
        let mut inner = self.inner.lock();
        if inner.flush().is_err() {
            // Whoever does not read any more may still have something to say.
            inner.backlog.clear();
            inner.stdin = None;
        }
    }

    /// Closes the server's input.
    pub(super) fn close(&self) {
        self.calls.end();
        self.inner.lock().stdin = None;
    }
}

impl Inner {
    fn flush(&mut self) -> io::Result<()> {
        let Some(stdin) = &self.stdin else { return Ok(()) };
        let mut written = 0;
        let result = loop {
            let rest = self.backlog.get(written..).unwrap_or_default();
            if rest.is_empty() {
                break Ok(());
            }
            match stdin.try_write(rest) {
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.backlog.drain(..written);
        // One huge message is no reason to keep its room for ever.
        self.backlog.shrink_to(PIECE);
        result
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::AsyncReadExt;

    use super::*;

    fn outbox() -> (Outbox, pipe::Receiver) {
        let (stdin, theirs) = pipe::pipe().unwrap();
        (Outbox::new(stdin, Arc::default()), theirs)
    }

    #[tokio::test]
    async fn every_call_that_waits_hears_of_the_end_and_none_is_sent_after_it() {
        let (outbox, _theirs) = outbox();
        let answers = [1, 2, 3].map(|id| outbox.ask(id, &json!(id)).unwrap());
        outbox.calls.end();
        for answer in answers {
            assert!(answer.await.is_err());
        }
        assert!(outbox.calls.is_over());
        assert!(outbox.ask(4, &json!(4)).is_err());
        assert!(outbox.send(&json!("said to a server that may still read")).is_ok());
        outbox.close();
        assert!(outbox.send(&json!("said to nobody")).is_err());
    }

    #[tokio::test]
    async fn what_the_pipe_does_not_take_waits_for_room() {
        let (outbox, mut theirs) = outbox();
        let long = "x".repeat(300_000);
        outbox.send(&json!("short")).unwrap();
        outbox.send(&json!(long)).unwrap();
        outbox.choked().await;
        let mut read = Vec::new();
        while let Some(stdin) = outbox.full_pipe() {
            tokio::select! {
                count = theirs.read_buf(&mut read) => assert!(count.unwrap() > 0),
                room = stdin.writable() => {
                    room.unwrap();
                    outbox.flush();
                }
            }
        }
        outbox.close();
        theirs.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, format!("\"short\"\n\"{long}\"\n").into_bytes());
    }
}
