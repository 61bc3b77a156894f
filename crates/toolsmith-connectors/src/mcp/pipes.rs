//! The transport of a server on standard input and output: one message a line.
//!
//! The answers to calls go to whoever waits for them, everything else to the library. A line that is
//! too long ends the session, because whoever waits for that answer would wait in vain otherwise.

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
    answers::{self, Message},
    outbox::Outbox,
    vitals::Vitals,
};

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// How much is read at once, and how much room for lines is kept.
pub(super) const PIECE: usize = 64 * 1024;

/// The two pipes of a server.
pub(super) struct Pipes {
    outbox: Arc<Outbox>,
    stdout: BufReader<pipe::Receiver>,
    line: Vec<u8>,
    probe: Probe,
    vitals: Arc<Vitals>,
}

impl Pipes {
    pub(super) fn new(stdin: pipe::Sender, stdout: pipe::Receiver, vitals: Arc<Vitals>) -> Self {
        Self {
            outbox: Arc::new(Outbox::new(stdin, Arc::clone(&vitals))),
            stdout: BufReader::with_capacity(PIECE, stdout),
            line: Vec::new(),
            probe: Probe::default(),
            vitals,
        }
    }

    /// Returns where calls are sent.
    pub(super) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// Waits for more of a line, and for room in the pipe when something waits for that.
    async fn hear(&mut self) -> Heard {
        let reading = read(&mut self.stdout, &mut self.line, &self.vitals);
        match self.outbox.full_pipe() {
            // What is there to be read is taken first: it is seldom that a pipe is full.
            None => tokio::select! {
                biased;
                heard = reading => heard,
                () = self.outbox.choked() => Heard::Piece,
            },
            Some(stdin) => tokio::select! {
                heard = reading => heard,
                room = stdin.writable() => if room.is_ok() { Heard::Room } else { Heard::End },
            },
        }
    }

    /// Takes the line; nothing when it is no message for the library.
    fn take_line(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let line = self.line.trim_ascii();
        let message = match answers::read(line) {
            Ok(heard) => {
                self.vitals.note_message();
                self.route(heard)
            }
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

    fn route(&self, heard: Message) -> Option<RxJsonRpcMessage<RoleClient>> {
        match heard {
            Message::Answer(number, answer) => {
                self.outbox.calls.answer(number, answer);
                None
            }
            Message::Other(message) => Some(message).filter(|message| !self.probe.is_late(message)),
        }
    }
}

impl Transport<RoleClient> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.probe.note_sent(&message);
        ready(self.outbox.send(&message))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            match self.hear().await {
                Heard::Line => {
                    if let Some(message) = self.take_line() {
                        return Some(message);
                    }
                }
                Heard::Room => self.outbox.flush(),
                Heard::Piece => {}
                Heard::End => {
                    self.outbox.calls.end();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.close();
        Ok(())
    }
}

/// Sessions share the way to the server, which has to end with the one back.
impl Drop for Pipes {
    fn drop(&mut self) {
        self.outbox.close();
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
        let id = answers::answered(message);
        self.is_over && id.is_some() && id == self.asked.as_ref()
    }
}
