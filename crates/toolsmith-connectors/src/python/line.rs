//! Talks to the process of a function: one line of JSON for each question and each answer.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde::Deserialize;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe,
    sync::{mpsc, oneshot},
};
use toolsmith_core::{BoxFuture, ToolError, Value, json};

use crate::{
    life::{Failure, Line, Log},
    process::ProcessLife,
};

/// The longest answer, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;

/// How many questions may wait to be written.
const QUEUE: usize = 256;

/// Talks to the process of a function.
#[derive(Debug)]
pub(super) struct PythonLine {
    function: String,
    next: AtomicU64,
    questions: mpsc::Sender<String>,
    /// For what must not wait, such as word that nobody waits any more.
    asides: mpsc::UnboundedSender<String>,
    waiting: Arc<Waiting>,
}

/// Those who wait for an answer; nothing once nobody listens to the process any more.
type Waiting = Mutex<Option<HashMap<u64, oneshot::Sender<Answer>>>>;

/// What comes of opening the line.
pub(super) enum Opening {
    Ready(Arc<PythonLine>),
    /// The function could not be loaded; the reason is part of a sentence.
    Failed(String),
    Ended,
}

/// A line that the process writes.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Said {
    Good { id: u64, ok: Value },
    Bad { id: u64, error: Raised },
    Failed { failed: Raised },
    Ready { ready: bool },
}

type Answer = Result<Value, Raised>;

#[derive(Clone, Debug, Deserialize)]
struct Raised {
    kind: String,
    r#type: String,
    message: String,
    r#where: String,
}

/// Whom a line answers; what else it says is skipped, and so need not be readable.
#[derive(Deserialize)]
struct Addressed {
    id: u64,
}

impl PythonLine {
    /// Begins to talk, and waits until the function is loaded.
    pub(super) async fn open(life: &mut ProcessLife, function: &str, log: &Arc<Log>) -> Opening {
        let (Some(stdin), Some(stdout)) = (life.child.stdin.take(), life.child.stdout.take())
        else {
            return Opening::Ended;
        };
        let (questions, asked) = mpsc::channel(QUEUE);
        let (asides, said) = mpsc::unbounded_channel();
        let (tell, opened) = oneshot::channel();
        let waiting = Arc::new(Waiting::new(Some(HashMap::new())));
        life.listeners.spawn(write(stdin, asked, said));
        life.listeners.spawn(read(stdout, Arc::clone(&waiting), tell, Arc::clone(log)));
        match opened.await {
            Ok(Said::Ready { ready: true }) => Opening::Ready(Arc::new(Self {
                function: function.to_owned(),
                next: AtomicU64::new(1),
                questions,
                asides,
                waiting,
            })),
            Ok(Said::Failed { failed }) => {
                Opening::Failed(format!("{}: {}", failed.r#type, failed.message))
            }
            _ => Opening::Ended,
        }
    }

    async fn ask(&self, key: &str, input: Option<Value>) -> Result<Answer, Missed> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (tell, answer) = oneshot::channel();
        let asked = self.waiting.lock().as_mut().map(|waiting| waiting.insert(number, tell));
        asked.ok_or(Missed::Before)?;
        let mut pending = Pending { line: self, number, is_sent: false };
        let line = match input {
            Some(input) => json!({ key: number, "input": input }),
            None => json!({ key: number }),
        };
        self.questions.send(format!("{line}\n")).await.map_err(|_| Missed::Before)?;
        pending.is_sent = true;
        let answer = answer.await.map_err(|_| Missed::After)?;
        pending.is_sent = false;
        Ok(answer)
    }

    async fn run(&self, input: Value) -> Result<Value, Failure> {
        match self.ask("id", Some(input)).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(raised)) => Err(Failure::Answered(raised.into_error(&self.function))),
            Err(Missed::Before) => Err(Failure::Unreached(self.gone())),
            Err(Missed::After) => Err(Failure::Lost(self.gone())),
        }
    }

    async fn check(&self) -> Result<(), String> {
        let stuck = match self.ask("ping", None).await {
            Ok(Ok(count)) => count.as_u64().unwrap_or_default(),
            _ => return Err("its process does not answer".to_owned()),
        };
        match stuck {
            0 => Ok(()),
            _ => Err("the function goes on running for a caller who has gone".to_owned()),
        }
    }

    fn gone(&self) -> ToolError {
        ToolError::upstream(format!(
            "The process that runs `{}` ended before it answered.",
            self.function
        ))
    }
}

impl Line for PythonLine {
    fn call(&self, input: Value) -> BoxFuture<'_, Result<Value, Failure>> {
        Box::pin(self.run(input))
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.check())
    }
}

/// When the process was lost: before it got the question, or after.
enum Missed {
    Before,
    After,
}

/// A question without an answer; the process is told when nobody waits for it any more.
struct Pending<'a> {
    line: &'a PythonLine,
    number: u64,
    is_sent: bool,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = self.line.waiting.lock().as_mut() {
            waiting.remove(&self.number);
        }
        if self.is_sent {
            // A process that has gone needs no telling.
            self.line.asides.send(format!("{}\n", json!({ "cancel": self.number }))).ok();
        }
    }
}

impl Raised {
    fn unread(why: &serde_json::Error) -> Self {
        Self {
            kind: "unread".to_owned(),
            r#type: "Unreadable".to_owned(),
            message: why.to_string(),
            r#where: String::new(),
        }
    }

    fn into_error(self, function: &str) -> ToolError {
        let Self { kind, r#type, message, r#where } = self;
        let details = json!({ "type": r#type, "message": message, "where": r#where });
        let error = match kind.as_str() {
            "input" => ToolError::try_differently(format!(
                "The function `{function}` does not take this input: {message}."
            )),
            "output" => ToolError::failed(format!(
                "The function `{function}` returned something that cannot be written as JSON: \
                 {message}."
            )),
            "unread" => ToolError::failed(format!(
                "The function `{function}` gave an answer that cannot be read as JSON: {message}."
            )),
            _ => ToolError::try_differently(format!(
                "The function `{function}` raised {type}: {message} ({where})"
            )),
        };
        error.with_details(details)
    }
}

async fn write(
    mut stdin: pipe::Sender,
    mut asked: mpsc::Receiver<String>,
    mut asides: mpsc::UnboundedReceiver<String>,
) {
    loop {
        let line = tokio::select! {
            line = asked.recv() => line,
            line = asides.recv() => line,
        };
        let Some(line) = line else { return };
        if stdin.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(
    mut stdout: pipe::Receiver,
    waiting: Arc<Waiting>,
    tell: oneshot::Sender<Said>,
    log: Arc<Log>,
) {
    let mut tell = Some(tell);
    let mut rest = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = stdout.read(&mut piece).await {
        let mut looked_at = rest.len();
        rest.extend_from_slice(piece.get(..count).unwrap_or_default());
        while let Some(end) = position(&rest, looked_at) {
            let line: Vec<u8> = rest.drain(..=end).collect();
            looked_at = 0;
            match serde_json::from_slice(&line) {
                Ok(Said::Good { id, ok }) => answer(&waiting, id, Ok(ok)),
                Ok(Said::Bad { id, error }) => answer(&waiting, id, Err(error)),
                Ok(said) => drop(tell.take().map(|tell| tell.send(said))),
                Err(why) => fail(&waiting, &line, &Raised::unread(&why), &log),
            }
        }
        if rest.len() > LONGEST {
            log.add(
                b"the function returned more than 32 MiB; its process is not listened to any more",
            );
            break;
        }
    }
    // Whoever still waits, and whoever asks from now on, learns that nobody answers.
    waiting.lock().take();
}

fn position(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    Some(from + rest.iter().position(|byte| *byte == b'\n')?)
}

fn answer(waiting: &Waiting, id: u64, answer: Answer) {
    let tell = waiting.lock().as_mut().and_then(|waiting| waiting.remove(&id));
    if let Some(tell) = tell {
        // Whoever asked may have gone.
        tell.send(answer).ok();
    }
}

/// Fails the call that an unreadable line answers; nobody may wait for an answer that is lost.
fn fail(waiting: &Waiting, line: &[u8], raised: &Raised, log: &Log) {
    if let Ok(Addressed { id }) = serde_json::from_slice(line) {
        return answer(waiting, id, Err(raised.clone()));
    }
    log.add(line);
    // It can be the answer of anyone who waits.
    let all = waiting.lock().as_mut().map(std::mem::take).unwrap_or_default();
    for tell in all.into_values() {
        // Whoever asked may have gone.
        tell.send(Err(raised.clone())).ok();
    }
}
