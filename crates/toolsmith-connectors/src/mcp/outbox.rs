//! What goes to a server on pipes, and the calls whose answers are waited for.
//!
//! The transport writes here what the library sends, and a session its calls. Writing makes nobody
//! wait: what the pipe does not take at once is kept, within a bound, and follows when the server
//! reads.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use foldhash::quality::RandomState;
use parking_lot::Mutex;
use rmcp::{ErrorData, model::ServerResult};
use serde::Serialize;
use tokio::{
    net::unix::pipe,
    sync::{Notify, oneshot},
};

use super::{pipes::PIECE, vitals::Vitals};

/// How much may wait for a server that does not read, in bytes.
const LONGEST_BACKLOG: usize = 32 * 1024 * 1024;

/// The number of the first call.
///
/// The library numbers its own requests from 0, and with calls gone it has only lists and pings to
/// number, so it never gets here. The numbers fit into 32 bits, because some servers take no larger.
pub(super) const FIRST: i64 = 1 << 30;

/// What a server answers to a call: a result, or an error of the protocol.
pub(super) type Answer = Result<ServerResult, ErrorData>;

/// The way to a server.
#[derive(Debug)]
pub(super) struct Outbox {
    inner: Mutex<Inner>,
    /// Rung when something has to wait for room in the pipe.
    choked: Notify,
    /// Whether no answer comes any more; set with the lock held.
    is_over: AtomicBool,
    vitals: Arc<Vitals>,
}

#[derive(Debug)]
struct Inner {
    stdin: Option<Arc<pipe::Sender>>,
    /// What is written and not yet taken.
    backlog: Vec<u8>,
    calls: HashMap<i64, oneshot::Sender<Answer>, RandomState>,
}

impl Outbox {
    pub(super) fn new(stdin: pipe::Sender, vitals: Arc<Vitals>) -> Self {
        let stdin = Some(Arc::new(stdin));
        let inner = Inner { stdin, backlog: Vec::new(), calls: HashMap::default() };
        Self {
            inner: Mutex::new(inner),
            choked: Notify::new(),
            is_over: AtomicBool::new(false),
            vitals,
        }
    }

    /// Sends a message.
    pub(super) fn send(&self, message: &impl Serialize) -> io::Result<()> {
        self.write(&mut self.inner.lock(), message)
    }

    /// Sends a call; its answer comes to the receiver, which hears of the end of the session too.
    pub(super) fn ask(
        &self,
        id: i64,
        message: &impl Serialize,
    ) -> io::Result<oneshot::Receiver<Answer>> {
        let mut inner = self.inner.lock();
        if self.is_over() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        self.write(&mut inner, message)?;
        let (tell, answer) = oneshot::channel();
        inner.calls.insert(id, tell);
        Ok(answer)
    }

    /// Hands an answer to whoever waits for it; a late one to nobody.
    pub(super) fn answer(&self, id: i64, answer: Answer) {
        let waiting = self.inner.lock().calls.remove(&id);
        if let Some(waiting) = waiting {
            // Whoever has just given up does not hear it.
            waiting.send(answer).ok();
        }
    }

    /// Forgets a call that nobody waits for any more.
    pub(super) fn forget(&self, id: i64) {
        self.inner.lock().calls.remove(&id);
    }

    /// Tells whether no answer comes any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
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

    /// Lets every call that waits hear that no answer comes.
    pub(super) fn end_calls(&self) {
        let mut inner = self.inner.lock();
        self.is_over.store(true, Ordering::Relaxed);
        inner.calls.clear();
    }

    /// Closes the server's input.
    pub(super) fn close(&self) {
        self.end_calls();
        self.inner.lock().stdin = None;
    }

    fn write(&self, inner: &mut Inner, message: &impl Serialize) -> io::Result<()> {
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
        outbox.end_calls();
        for answer in answers {
            assert!(answer.await.is_err());
        }
        assert!(outbox.is_over());
        assert!(outbox.ask(4, &json!(4)).is_err());
        assert!(outbox.send(&json!("said to a server that may still read")).is_ok());
        outbox.close();
        assert!(outbox.send(&json!("said to nobody")).is_err());
    }

    #[tokio::test]
    async fn an_answer_comes_to_its_call_and_a_late_one_to_nobody() {
        let (outbox, _theirs) = outbox();
        let [first, second] = [1, 2].map(|id| outbox.ask(id, &json!(id)).unwrap());
        outbox.forget(1);
        outbox.answer(1, Err(ErrorData::internal_error("late", None)));
        outbox.answer(2, Err(ErrorData::internal_error("for the second", None)));
        assert!(first.await.is_err());
        assert_eq!(second.await.unwrap().unwrap_err().message, "for the second");
        assert!(outbox.inner.lock().calls.is_empty());
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
