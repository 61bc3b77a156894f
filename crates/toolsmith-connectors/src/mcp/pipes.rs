//! The transport of a server on standard input and output: one message a line.
//!
//! Writing makes nobody wait: what the pipe does not take at once is kept, within a bound, and
//! follows when the server reads. A line that is too long ends the session, because whoever waits
//! for that answer would wait in vain otherwise.

use std::{
    future::{Future, ready},
    io,
    sync::Arc,
};

use rmcp::{
    RoleClient,
    model::{ClientRequest, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    net::unix::pipe,
};

use super::{
    answers::{Answers, answered},
    vitals::Vitals,
};

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// How much may wait for a server that does not read, in bytes.
const LONGEST_BACKLOG: usize = 32 * 1024 * 1024;

/// How much is read at once, and how much room for lines is kept.
const PIECE: usize = 64 * 1024;

/// The two pipes of a server.
pub(super) struct Pipes {
    stdin: Option<pipe::Sender>,
    stdout: BufReader<pipe::Receiver>,
    line: Vec<u8>,
    backlog: Backlog,
    answers: Answers,
    probe: Probe,
    vitals: Arc<Vitals>,
}

impl Pipes {
    pub(super) fn new(stdin: pipe::Sender, stdout: pipe::Receiver, vitals: Arc<Vitals>) -> Self {
        Self {
            stdin: Some(stdin),
            stdout: BufReader::with_capacity(PIECE, stdout),
            line: Vec::new(),
            backlog: Backlog::default(),
            answers: Answers::default(),
            probe: Probe::default(),
            vitals,
        }
    }

    fn write(&mut self, message: &TxJsonRpcMessage<RoleClient>) -> io::Result<()> {
        let stdin = self.stdin.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        self.probe.note_sent(message);
        self.answers.note_sent(message);
        self.backlog.push(message)?;
        self.backlog.flush(stdin)?;
        if self.backlog.0.len() > LONGEST_BACKLOG {
            self.vitals.blame("it does not read what it is sent");
            self.stdin = None;
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(())
    }

    /// Waits for more of a line, and for room in the pipe when something waits for that.
    async fn hear(&mut self) -> Heard {
        let reading = read(&mut self.stdout, &mut self.line, &self.vitals);
        match self.stdin.as_ref().filter(|_| !self.backlog.0.is_empty()) {
            None => reading.await,
            Some(stdin) => tokio::select! {
                heard = reading => heard,
                room = stdin.writable() => if room.is_ok() { Heard::Room } else { Heard::End },
            },
        }
    }

    /// Takes the line; nothing when it is no message for us.
    fn parse(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let line = self.line.trim_ascii();
        let message = match self.answers.read(line) {
            Ok(message) => Some(message).filter(|message| !self.probe.is_late(message)),
            Err(error) => {
                self.vitals.note_noise(line, &error);
                None
            }
        };
        self.line.clear();
        // One huge answer is no reason to keep its room for ever.
        self.line.shrink_to(PIECE);
        message
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        ready(self.write(&message))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            match self.hear().await {
                Heard::Line => {
                    if let Some(message) = self.parse() {
                        self.vitals.note_message();
                        return Some(message);
                    }
                }
                Heard::Room => {
                    // Whoever does not read any more may still have something to say.
                    let stdin = self.stdin.as_ref()?;
                    if self.backlog.flush(stdin).is_err() {
                        self.backlog.0.clear();
                        self.stdin = None;
                    }
                }
                Heard::Piece => {}
                Heard::End => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.stdin = None;
        Ok(())
    }
}

/// What was heard of a server.
enum Heard {
    Line,
    Piece,
    Room,
    End,
}

/// Takes a piece of a line; dropping the future loses nothing.
async fn read(
    stdout: &mut BufReader<pipe::Receiver>,
    line: &mut Vec<u8>,
    vitals: &Vitals,
) -> Heard {
    let piece = match stdout.fill_buf().await {
        Ok([]) | Err(_) => return Heard::End,
        Ok(piece) => piece,
    };
    let end = memchr::memchr(b'\n', piece);
    let taken = end.map_or(piece.len(), |end| end + 1);
    if line.len() + taken > LONGEST_LINE {
        let most = LONGEST_LINE / (1024 * 1024);
        vitals.blame(&format!("it sent a message of more than {most} MiB"));
        return Heard::End;
    }
    line.extend_from_slice(piece.get(..taken).unwrap_or_default());
    stdout.consume(taken);
    if end.is_some() { Heard::Line } else { Heard::Piece }
}

/// What is written and not yet taken.
#[derive(Default)]
struct Backlog(Vec<u8>);

impl Backlog {
    fn push(&mut self, message: &TxJsonRpcMessage<RoleClient>) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, message)?;
        self.0.push(b'\n');
        Ok(())
    }

    /// Writes as much as the pipe takes.
    fn flush(&mut self, stdin: &pipe::Sender) -> io::Result<()> {
        let mut written = 0;
        let result = loop {
            let rest = self.0.get(written..).unwrap_or_default();
            if rest.is_empty() {
                break Ok(());
            }
            match stdin.try_write(rest) {
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.0.drain(..written);
        self.0.shrink_to(PIECE);
        result
    }
}

/// The first question of a session, which old servers may answer when nobody waits any more.
///
/// A server that takes long to start is asked in the old way too, and answers both questions.
#[derive(Default)]
struct Probe {
    asked: Option<RequestId>,
    is_over: bool,
}

impl Probe {
    fn note_sent(&mut self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else { return };
        match &request.request {
            ClientRequest::DiscoverRequest(_) => self.asked = Some(request.id.clone()),
            ClientRequest::InitializeRequest(_) => self.is_over = true,
            _ => {}
        }
    }

    fn is_late(&self, message: &RxJsonRpcMessage<RoleClient>) -> bool {
        let id = answered(message);
        self.is_over && id.is_some() && id == self.asked.as_ref()
    }
}
