//! The access log: a line of JSON for each request, written beside the requests.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde::Serialize;
use toolsmith_core::{Text, Timestamp};

/// How many lines wait to be written; more are dropped.
const QUEUE: usize = 8_192;

/// How often it is looked whether somebody has moved the file away.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Where the lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessTarget {
    /// Standard error.
    Terminal,
    /// A file; when it is moved away, a new one is begun.
    File(PathBuf),
}

/// Writes a line for each request; cheap to clone.
#[derive(Clone, Debug)]
pub struct AccessLog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    lines: Mutex<Option<SyncSender<Line>>>,
    dropped: AtomicU64,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// What is told of a request: never what it asked for behind the `?`, and never its body.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) time: Timestamp,
    pub(crate) request_id: Text,
    pub(crate) method: Text,
    pub(crate) path: Text,
    pub(crate) route: &'static str,
    pub(crate) status: u16,
    pub(crate) duration_ms: f64,
    /// How many bytes were answered; null for a stream.
    pub(crate) bytes: Option<u64>,
    pub(crate) caller: Option<Text>,
    pub(crate) peer: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) call_id: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<Text>,
}

impl AccessLog {
    /// Opens the log; an error says why its file cannot be written.
    pub fn open(target: AccessTarget) -> io::Result<Self> {
        let mut output = Output::open(target)?;
        let (sender, lines) = sync_channel(QUEUE);
        let writer = thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(move || output.write_all(&lines))?;
        Ok(Self(Arc::new(Shared {
            lines: Mutex::new(Some(sender)),
            dropped: AtomicU64::new(0),
            writer: Mutex::new(Some(writer)),
        })))
    }

    /// Returns how many lines were dropped because the disk was too slow.
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Relaxed)
    }

    /// Writes what is left and ends the log.
    pub fn close(&self) {
        drop(self.0.lines.lock().take());
        let writer = self.0.writer.lock().take();
        if writer.is_some_and(|writer| writer.join().is_err()) {
            tracing::error!("the access log did not end well");
        }
    }

    /// Takes a line; it never waits.
    pub(crate) fn take(&self, line: Line) {
        let lines = self.0.lines.lock();
        let is_taken = lines.as_ref().is_some_and(|lines| lines.try_send(line).is_ok());
        if !is_taken {
            self.0.dropped.fetch_add(1, Relaxed);
        }
    }
}

/// What is written to.
enum Output {
    Terminal,
    File { path: PathBuf, file: BufWriter<File>, looked: Instant },
}

impl Output {
    fn open(target: AccessTarget) -> io::Result<Self> {
        Ok(match target {
            AccessTarget::Terminal => Self::Terminal,
            AccessTarget::File(path) => {
                let file = BufWriter::new(append(&path)?);
                Self::File { path, file, looked: Instant::now() }
            }
        })
    }

    /// Writes until nobody sends any more; what was written is flushed before it is waited.
    fn write_all(&mut self, lines: &Receiver<Line>) {
        while let Ok(line) = lines.recv() {
            self.look();
            self.write(&line);
            while let Ok(line) = lines.try_recv() {
                self.write(&line);
            }
            self.flush();
        }
    }

    fn write(&mut self, line: &Line) {
        let Ok(mut text) = serde_json::to_vec(line) else { return };
        text.push(b'\n');
        let written = match self {
            Self::Terminal => io::stderr().lock().write_all(&text),
            Self::File { file, .. } => file.write_all(&text),
        };
        if let Err(error) = written {
            tracing::warn!(%error, "the access log cannot be written");
        }
    }

    fn flush(&mut self) {
        if let Self::File { file, .. } = self
            && let Err(error) = file.flush()
        {
            tracing::warn!(%error, "the access log cannot be written");
        }
    }

    /// Begins a new file when the old one was moved away, as programs that rotate logs do.
    fn look(&mut self) {
        let Self::File { path, file, looked } = self else { return };
        if looked.elapsed() < LOOK_EVERY {
            return;
        }
        *looked = Instant::now();
        let place = |meta: &std::fs::Metadata| (meta.dev(), meta.ino());
        let ours = file.get_ref().metadata().ok().map(|meta| place(&meta));
        let theirs = path.metadata().ok().map(|meta| place(&meta));
        if ours == theirs {
            return;
        }
        match append(path) {
            Ok(begun) => *file = BufWriter::new(begun),
            Err(error) => tracing::warn!(%error, "the access log cannot be begun again"),
        }
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}
