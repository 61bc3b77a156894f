//! MCP over the standard streams of a program: a message a line.

use std::{collections::HashMap, io, sync::Arc, time::Duration};

use serde_json::value::RawValue;
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::mpsc,
    task::{AbortHandle, JoinSet},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    Answer,
    following::Said,
    guest::{Guest, Opening},
    lifecycle::initialize,
    listening::{Interest, Listening, View},
    refusal::Refusal,
    revision::Revision,
    server::{answer_alone, answer_in_session, cancelled, hear},
    session::Session,
    traced::{self, Told},
    wire::{self, Message, Notification, Request},
};
use crate::{Gateway, Visitor};

/// How many messages may wait to be written.
const AHEAD: usize = 64;

/// What a request says that stands for itself.
const OF_ITS_OWN: &str = "io.modelcontextprotocol/protocolVersion";

/// Speaks MCP with the other end of two streams until it closes them, or a token ends it.
///
/// With a group, its tools are all that there is.
pub async fn speak(
    gateway: Gateway,
    group: Option<&str>,
    (reader, writer): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    stop: CancellationToken,
) -> io::Result<()> {
    // Whoever starts a program and speaks with it on its own streams is the one who runs it.
    let guest =
        Guest::enter(&gateway, Visitor::local(), group, Opening::Streams).map_err(|_| {
            io::Error::other(format!("there is no group `{}`", group.unwrap_or_default()))
        })?;
    let (sender, receiver) = mpsc::channel(AHEAD);
    let conversation = Conversation {
        most: gateway.0.config.max_body_bytes,
        gateway,
        guest,
        sender,
        session: None,
        tasks: JoinSet::new(),
        running: HashMap::new(),
        closed: CancellationToken::new(),
    };
    let reading = conversation.run(BufReader::new(reader), stop);
    let (read, written) = tokio::join!(reading, write_all(receiver, writer));
    read.and(written)
}

/// Writes messages until nobody can send any more.
async fn write_all(
    mut receiver: mpsc::Receiver<Vec<u8>>,
    mut writer: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(mut text) = receiver.recv().await {
        text.push(b'\n');
        writer.write_all(&text).await?;
        writer.flush().await?;
    }
    Ok(())
}

struct Conversation {
    gateway: Gateway,
    guest: Guest,
    sender: mpsc::Sender<Vec<u8>>,
    session: Option<Arc<Session>>,
    /// Each returns the identifier of its request.
    tasks: JoinSet<Box<str>>,
    running: HashMap<Box<str>, AbortHandle>,
    /// Cancelled when nothing more is read: nobody listens any longer.
    closed: CancellationToken,
    most: usize,
}

impl Conversation {
    async fn run(
        mut self,
        mut reader: impl AsyncBufRead + Unpin,
        stop: CancellationToken,
    ) -> io::Result<()> {
        let mut line = Vec::new();
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                Some(Ok(id)) = self.tasks.join_next() => {
                    self.running.remove(&id);
                }
                read = read_line(&mut reader, &mut line, self.most) => match read? {
                    Line::Whole => {
                        self.take(&line).await;
                        line.clear();
                    }
                    Line::TooLong => {
                        let why = format!("A message is longer than {} bytes.", self.most);
                        self.refuse(None, &Refusal::invalid_request(why)).await;
                        line.clear();
                    }
                    Line::End => break,
                },
            }
        }
        self.end().await;
        Ok(())
    }

    /// Lets requests under way end, within the limit of the gateway.
    async fn end(mut self) {
        self.closed.cancel();
        if let Some(session) = self.session.take() {
            session.forget_questions();
        }
        let config = &self.gateway.0.config;
        let answered = async { while self.tasks.join_next().await.is_some() {} };
        let in_time = timeout(config.shutdown_timeout, answered);
        let has_ended = tokio::select! {
            biased;
            ended = in_time => ended.is_ok(),
            () = config.hurry.cancelled() => false,
        };
        if !has_ended {
            self.gateway.0.engine.shutdown(Duration::ZERO).await;
        }
    }

    async fn take(&mut self, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let Ok(text) = std::str::from_utf8(line) else {
            return self.refuse(None, &Refusal::unreadable("The message is not UTF-8.")).await;
        };
        match wire::read(text) {
            Ok(Message::Request(request)) => self.answer(&request, text).await,
            Ok(Message::Notification(notification)) => self.hear(&notification),
            Ok(Message::Response(response)) => {
                if let Some(session) = &self.session {
                    session.hear(&response);
                }
            }
            Err(unreadable) => {
                let id = unreadable.id.map(wire::Id::as_json);
                self.refuse(id, &unreadable.refusal).await;
            }
        }
    }

    fn hear(&mut self, notification: &Notification<'_>) {
        if let Some(id) = cancelled(notification)
            && let Some(task) = self.running.remove(id)
        {
            // The call that it makes is cancelled with it.
            return task.abort();
        }
        let Some(session) = &self.session else { return };
        hear(session, notification);
        if notification.method == "notifications/initialized" {
            self.listen();
        }
    }

    /// Tells the client of changes from now on.
    fn listen(&mut self) {
        let Some(session) = &self.session else { return };
        let heard = (Interest::ALL, session.followed.clone());
        let Guest { visitor, group, .. } = self.guest.clone();
        let view = View::new(&self.gateway, visitor.rights, group);
        let listening = Listening::new(&self.gateway, view, heard, session.listen());
        let listening = listening.with_tasks_of(session);
        let (sender, closed) = (self.sender.clone(), self.closed.clone());
        self.tasks.spawn(async move {
            listen(listening, &sender, &closed).await;
            Box::from("")
        });
    }

    async fn answer(&mut self, request: &Request<'_>, text: &str) {
        if request.method == "initialize" && !is_of_its_own(request) {
            let begun = initialize(&self.guest.visitor, request);
            return match begun {
                Ok((session, text)) => {
                    self.session = Some(Arc::new(session));
                    self.send(text).await;
                }
                Err(refusal) => self.refuse(Some(request.id.as_json()), &refusal).await,
            };
        }
        let id: Box<str> = request.id.as_json().into();
        let (gateway, guest) = (self.gateway.clone(), self.guest.clone());
        let (sender, session) = (self.sender.clone(), self.session.clone());
        let closed = self.closed.clone();
        let text = text.to_owned();
        let task = {
            let id = id.clone();
            async move {
                // Read once more where it is kept: what was read from the line cannot stay.
                if let Ok(Message::Request(request)) = wire::read(&text) {
                    let answer = answer_one(&gateway, guest, session.as_ref(), &request).await;
                    tell(answer, &request, &sender, &closed).await;
                }
                id
            }
        };
        let task = self.tasks.spawn(task);
        self.running.insert(id, task);
    }

    async fn refuse(&self, id: Option<&str>, refusal: &Refusal) {
        self.send(wire::refusal(id.map(wire::Id::from_json), refusal)).await;
    }

    async fn send(&self, text: Vec<u8>) {
        // The writer has ended when the other end is gone; reading ends then, too.
        self.sender.send(text).await.ok();
    }
}

fn is_of_its_own(request: &Request<'_>) -> bool {
    request.method == "server/discover"
        || request.params.is_some_and(|params: &RawValue| params.get().contains(OF_ITS_OWN))
}

async fn answer_one(
    gateway: &Gateway,
    guest: Guest,
    session: Option<&Arc<Session>>,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let answering = answer_plainly(gateway, guest, session, request);
    let Some(telemetry) = &gateway.0.config.telemetry else { return answering.await };
    let session = session.filter(|_| !is_of_its_own(request));
    let revision = session.map_or(Revision::Jul2026, |session| session.revision);
    let told = Told { revision, session: None };
    Box::pin(traced::request((gateway, telemetry), request, told, answering)).await
}

async fn answer_plainly(
    gateway: &Gateway,
    guest: Guest,
    session: Option<&Arc<Session>>,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    match session {
        _ if is_of_its_own(request) => answer_alone(gateway, guest, None, request).await,
        Some(session) => answer_in_session(gateway, session, guest, request).await,
        None => Err(Refusal::invalid_request("Begin with `initialize`.")),
    }
}

/// Sends what an answer says.
async fn tell(
    answer: Result<Answer, Refusal>,
    request: &Request<'_>,
    sender: &mpsc::Sender<Vec<u8>>,
    closed: &CancellationToken,
) {
    let send = async |text| sender.send(text).await.unwrap_or_default();
    let mut following = match answer {
        Ok(Answer::Text(text)) => return send(text).await,
        Ok(Answer::Nothing) => return,
        Ok(Answer::Listening(listening)) => return listen(*listening, sender, closed).await,
        Ok(Answer::Following(following)) => following,
        Err(refusal) => return send(wire::refusal(Some(request.id), &refusal)).await,
    };
    loop {
        match following.next().await {
            (Said::More(text), Some(rest)) => {
                send(text).await;
                following = rest;
            }
            (Said::More(text) | Said::Last(text), _) => return send(text).await,
            (Said::Refused(refusal), _) => {
                return send(wire::refusal(Some(request.id), &refusal)).await;
            }
            (Said::Nothing, _) => return,
        }
    }
}

async fn listen(
    mut listening: Listening,
    sender: &mpsc::Sender<Vec<u8>>,
    closed: &CancellationToken,
) {
    while let Some(Some(text)) = closed.run_until_cancelled(listening.next()).await {
        if sender.send(text).await.is_err() {
            return;
        }
    }
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line into a buffer, and no more of it than allowed; what is left out is skipped.
///
/// It can be dropped and called again: what was read so far is in the buffer.
async fn read_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<Line> {
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(if line.is_empty() { Line::End } else { Line::Whole });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(available.len());
        // One byte more than allowed is kept, as a mark that the line is too long.
        let room = (most + 1).saturating_sub(line.len());
        line.extend(available.iter().take(taken.min(room)));
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(if line.len() > most { Line::TooLong } else { Line::Whole });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_read_one_by_one_and_long_ones_skipped() {
        let text = format!("one\n\n{}\ntwo\nlast", "x".repeat(100));
        let mut reader = BufReader::with_capacity(7, text.as_bytes());
        let mut read = Vec::new();
        loop {
            let mut line = Vec::new();
            let what = read_line(&mut reader, &mut line, 10).await.unwrap();
            if what == Line::End {
                break;
            }
            read.push((what, line.len()));
        }
        let lengths = [3, 0, 11, 3, 4];
        assert_eq!(read.iter().map(|(_, length)| *length).collect::<Vec<_>>(), lengths);
        assert_eq!(read[2].0, Line::TooLong);
    }
}
