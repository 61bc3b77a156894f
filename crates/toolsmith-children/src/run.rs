//! Runs a child to its end: feeds it, listens to it, keeps what it says within bounds.

use std::{collections::VecDeque, fmt, io, pin::pin, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe,
    time::timeout,
};
use toolsmith_core::BoxFuture;

use crate::{Child, ChildError, Children, Command, Exit};

/// How long after a child's end its pipes are listened to, when somebody else holds them.
///
/// The last helpers of a pipeline finish in that time; a forgotten background job does not.
const DRAIN: Duration = Duration::from_millis(250);

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// What is said to a child and how much of its answer is kept.
pub struct Exchange<'a> {
    /// What it reads.
    pub stdin: Vec<u8>,
    /// How many bytes of its output are kept, from the beginning.
    pub max_stdout: usize,
    /// What happens when it writes more.
    pub overflow: Overflow,
    /// How many bytes of its complaints are kept, from the end.
    pub max_stderr: usize,
    /// Who hears its output as it comes.
    pub follower: Option<&'a mut dyn Follower>,
}

impl Exchange<'_> {
    /// Says something and keeps up to 16 MiB of the answer.
    pub fn feeding(stdin: impl Into<Vec<u8>>) -> Self {
        Self {
            stdin: stdin.into(),
            max_stdout: 16 * 1024 * 1024,
            overflow: Overflow::Fail,
            max_stderr: 4 * 1024,
            follower: None,
        }
    }
}

/// What is said may hold secrets, so only its length is shown.
impl fmt::Debug for Exchange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("stdin", &self.stdin.len())
            .field("max_stdout", &self.max_stdout)
            .field("overflow", &self.overflow)
            .finish_non_exhaustive()
    }
}

/// What happens to a child that writes more than is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// It is ended.
    #[default]
    Fail,
    /// It goes on, and the rest is dropped.
    Cut,
}

/// Hears what a child writes as it comes.
pub trait Follower: Send {
    /// Takes a piece of the output; the child waits while this does.
    fn hear<'a>(&'a mut self, piece: &'a [u8]) -> BoxFuture<'a, ()>;
}

/// What is left of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// The beginning of its output.
    pub stdout: Vec<u8>,
    /// The end of its complaints.
    pub stderr_tail: Vec<u8>,
    /// Whether it wrote more than was kept.
    pub truncated: bool,
}

impl Children {
    /// Runs a child to its end; dropping the future ends the child and what came of it.
    pub async fn run(
        &self,
        command: Command,
        exchange: Exchange<'_>,
    ) -> Result<Finished, ChildError> {
        let mut child = self.spawn(command).await?;
        let mut stdout = Head::new(exchange.max_stdout, exchange.overflow);
        let mut stderr = Tail::new(exchange.max_stderr);
        let (output, complaints) = (child.stdout.take(), child.stderr.take());
        let listening = async {
            let head = stdout.fill(output, exchange.follower);
            tokio::try_join!(head, stderr.fill(complaints)).map(drop)
        };
        let feeding = feed(child.stdin.take(), exchange.stdin);
        let (exit, was_heard) = attend(&mut child, feeding, listening).await?;
        if was_heard {
            child.part_quietly();
        }
        let Head { kept, truncated, .. } = stdout;
        Ok(Finished { exit, stdout: kept, stderr_tail: stderr.kept.into(), truncated })
    }
}

/// Stays with a child until it has ended, and a little longer if its pipes are still held.
///
/// Returns whether everything was heard to its end.
async fn attend(
    child: &mut Child,
    feeding: impl Future<Output = ()>,
    listening: impl Future<Output = Result<(), ChildError>>,
) -> Result<(Exit, bool), ChildError> {
    let (mut feeding, mut listening) = (pin!(feeding), pin!(listening));
    let (mut was_fed, mut was_heard) = (false, false);
    let exit = loop {
        tokio::select! {
            exit = child.exited() => break exit,
            () = &mut feeding, if !was_fed => was_fed = true,
            heard = &mut listening, if !was_heard => {
                heard?;
                was_heard = true;
            }
        }
    };
    if !was_heard && let Ok(heard) = timeout(DRAIN, &mut listening).await {
        heard?;
        was_heard = true;
    }
    Ok((exit, was_heard))
}

/// Writes everything and closes the pipe.
async fn feed(pipe: Option<pipe::Sender>, bytes: Vec<u8>) {
    if let Some(mut pipe) = pipe {
        // A child that does not want to hear it all is none the worse for it.
        pipe.write_all(&bytes).await.ok();
    }
}

/// The beginning of what is read.
struct Head {
    kept: Vec<u8>,
    limit: usize,
    overflow: Overflow,
    truncated: bool,
}

impl Head {
    fn new(limit: usize, overflow: Overflow) -> Self {
        Self { kept: Vec::new(), limit, overflow, truncated: false }
    }

    async fn fill(
        &mut self,
        pipe: Option<pipe::Receiver>,
        mut follower: Option<&mut dyn Follower>,
    ) -> Result<(), ChildError> {
        let Some(mut pipe) = pipe else { return Ok(()) };
        let mut buffer = vec![0; PIECE];
        loop {
            let piece = read(&mut pipe, &mut buffer).await?;
            if piece.is_empty() {
                return Ok(());
            }
            let room = piece.len().min(self.limit - self.kept.len());
            let (fits, rest) = piece.split_at(room);
            self.kept.extend_from_slice(fits);
            if let Some(follower) = &mut follower
                && !fits.is_empty()
            {
                follower.hear(fits).await;
            }
            self.truncated |= !rest.is_empty();
            if self.truncated && self.overflow == Overflow::Fail {
                return Err(ChildError::TooMuchOutput { limit: self.limit });
            }
        }
    }
}

/// The end of what is read.
struct Tail {
    kept: VecDeque<u8>,
    limit: usize,
}

impl Tail {
    fn new(limit: usize) -> Self {
        Self { kept: VecDeque::new(), limit }
    }

    async fn fill(&mut self, pipe: Option<pipe::Receiver>) -> Result<(), ChildError> {
        let Some(mut pipe) = pipe else { return Ok(()) };
        let mut buffer = vec![0; PIECE];
        loop {
            let piece = read(&mut pipe, &mut buffer).await?;
            if piece.is_empty() {
                return Ok(());
            }
            self.kept.extend(piece);
            let excess = self.kept.len().saturating_sub(self.limit);
            self.kept.drain(..excess);
        }
    }
}

/// Reads a piece; an empty one is the end.
async fn read<'a>(pipe: &mut pipe::Receiver, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let length = pipe.read(buffer).await?;
    Ok(buffer.get(..length).unwrap_or_default())
}
