//! Runs a child to its end: feeds it, listens to it, keeps what it says within bounds.

use std::{collections::VecDeque, fmt, io, pin::pin, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::unix::pipe,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;
use toolsmith_core::BoxFuture;

use crate::{ChildError, Children, Command, Exit, keeper::Tenure};

/// How long after a child's end a silent pipe is listened to, when somebody else holds it.
///
/// The last helpers of a pipeline finish in that time; a forgotten background job does not.
const DRAIN: Duration = Duration::from_millis(250);

/// How long after a child's end somebody else who keeps on writing is listened to.
const LONGEST_DRAIN: Duration = Duration::from_secs(2);

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
        let mut child = self.begin(command, Tenure::Brief).await?;
        let ended = CancellationToken::new();
        let mut stdout = Head::new(exchange.max_stdout, exchange.overflow);
        let mut stderr = Tail::new(exchange.max_stderr);
        let (output, complaints) = (child.stdout.take(), child.stderr.take());
        let listening = async {
            let head = stdout.fill(Ear::at(output, &ended), exchange.follower);
            tokio::try_join!(head, stderr.fill(Ear::at(complaints, &ended)))
        };
        let feeding = feed(child.stdin.take(), exchange.stdin);
        let exit = async {
            let exit = child.settled().await;
            ended.cancel();
            exit
        };
        let (exit, heard) = attend(exit, feeding, listening).await?;
        if heard == (Silence::Closed, Silence::Closed) {
            child.part_quietly();
        }
        let Head { kept, truncated, .. } = stdout;
        Ok(Finished { exit, stdout: kept, stderr_tail: stderr.kept.into(), truncated })
    }
}

/// Stays with a child until it has ended and everything it wrote was heard.
async fn attend<T>(
    exit: impl Future<Output = Result<Exit, ChildError>>,
    feeding: impl Future<Output = ()>,
    listening: impl Future<Output = Result<T, ChildError>>,
) -> Result<(Exit, T), ChildError> {
    let (mut exit, mut feeding, mut listening) = (pin!(exit), pin!(feeding), pin!(listening));
    let (mut was_fed, mut end, mut heard) = (false, None, None);
    loop {
        tokio::select! {
            exit = &mut exit, if end.is_none() => end = Some(exit?),
            () = &mut feeding, if !was_fed && end.is_none() => was_fed = true,
            all = &mut listening, if heard.is_none() => heard = Some(all?),
        }
        if let (Some(exit), Some(heard)) = (end, heard.take_if(|_| end.is_some())) {
            return Ok((exit, heard));
        }
    }
}

/// Why nothing more was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    /// Everyone has closed the pipe.
    Closed,
    /// The child has ended, and somebody else holds the pipe without a word.
    Held,
    /// The child has ended, and somebody else writes on and on.
    Chatter,
}

/// The reading end of a pipe that is left some time after the child's end.
struct Ear<'a> {
    pipe: Option<pipe::Receiver>,
    ended: &'a CancellationToken,
    /// How much longer others are listened to once the child has ended.
    patience: Duration,
}

impl<'a> Ear<'a> {
    fn at(pipe: Option<pipe::Receiver>, ended: &'a CancellationToken) -> Self {
        Self { pipe, ended, patience: LONGEST_DRAIN }
    }

    /// Reads a piece, or says why there is none.
    ///
    /// Only waiting for the pipe counts: whoever follows the output may take its time.
    async fn read<'b>(&mut self, buffer: &'b mut Vec<u8>) -> io::Result<Result<&'b [u8], Silence>> {
        buffer.clear();
        let Some(pipe) = &mut self.pipe else { return Ok(Err(Silence::Closed)) };
        let had_ended = self.ended.is_cancelled();
        let since = Instant::now();
        let quiet = async {
            self.ended.cancelled().await;
            sleep(DRAIN.min(self.patience)).await;
        };
        let length = tokio::select! {
            biased;
            length = pipe.read_buf(buffer) => length?,
            () = quiet => return Ok(Err(Silence::Held)),
        };
        if had_ended {
            self.patience = self.patience.saturating_sub(since.elapsed());
            if self.patience.is_zero() {
                return Ok(Err(Silence::Chatter));
            }
        }
        if length == 0 {
            return Ok(Err(Silence::Closed));
        }
        Ok(Ok(buffer))
    }
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
        mut ear: Ear<'_>,
        mut follower: Option<&mut dyn Follower>,
    ) -> Result<Silence, ChildError> {
        let mut buffer = Vec::with_capacity(PIECE);
        loop {
            let piece = match ear.read(&mut buffer).await? {
                Ok(piece) => piece,
                Err(silence) => {
                    self.truncated |= silence == Silence::Chatter;
                    return Ok(silence);
                }
            };
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

    async fn fill(&mut self, mut ear: Ear<'_>) -> Result<Silence, ChildError> {
        let mut buffer = Vec::with_capacity(PIECE);
        loop {
            let piece = match ear.read(&mut buffer).await? {
                Ok(piece) => piece,
                Err(silence) => return Ok(silence),
            };
            self.kept.extend(piece);
            let excess = self.kept.len().saturating_sub(self.limit);
            self.kept.drain(..excess);
        }
    }
}
