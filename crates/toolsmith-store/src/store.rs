//! The handle of a store: opening it, handing records over, closing it.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{sync::oneshot, time::timeout};
use toolsmith_core::{BoxFuture, ErrorKind, Receipt, Record, RecordSink, ToolError};

use crate::{
    Access, Health, StoreConfig, StoreError, StoreMetrics,
    queue::Job,
    readers::{Reader, Readers},
    sqlite::{Connection, fault},
    writer::{self, Shared},
};

/// The name of the database file in the folder.
const FILE: &str = "toolsmith.db";

/// How long closing may take.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// How long dropping the last handle holds up its thread.
const DROP_LIMIT: Duration = Duration::from_secs(1);

/// How long a query waits for records that were pushed before it.
const FRESHNESS_LIMIT: Duration = Duration::from_secs(1);

/// Keeps the records of calls; cheap to clone.
///
/// Queries see every record that this process pushed before them, written or not, as long as the
/// store can write.
///
/// ```no_run
/// use toolsmith_store::{Query, Store, StoreConfig};
///
/// # async fn example() -> Result<(), toolsmith_store::StoreError> {
/// let store = Store::open(StoreConfig::at(".toolsmith")).await?;
/// let page = store.records(Query { limit: 20, ..Query::default() }).await?;
/// for record in page.records {
///     println!("{} {}", record.created_at, record.tool_name);
/// }
/// store.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    readers: Readers,
    writer: Mutex<Option<WriterThread>>,
}

struct WriterThread {
    handle: JoinHandle<()>,
    /// Says when the thread ends, by going away.
    ended: mpsc::Receiver<()>,
}

impl Store {
    /// Opens the store in a folder, and makes or updates its database unless it is read-only.
    pub async fn open(config: StoreConfig) -> Result<Self, StoreError> {
        let access = config.access;
        let file = config.folder.join(FILE);
        if access == Access::ReadWrite {
            make_folder(&config.folder)?;
        }
        let shared = Arc::new(Shared::new(config, file.clone()));
        let inner = Inner {
            shared: Arc::clone(&shared),
            readers: Readers::new(file),
            writer: Mutex::new(None),
        };
        match access {
            Access::ReadWrite => {
                let (opened, answer) = oneshot::channel();
                *inner.writer.lock() = Some(start_writer(shared, opened)?);
                answer.await.map_err(|_| StoreError::Closed)??;
            }
            Access::ReadOnly => {
                shared.queue.close();
                // Opening says at once what is wrong with the file; queries use the connection.
                let reader = inner.readers.get().await?;
                reader.give_back(Ok(()))?;
            }
        }
        Ok(Self(Arc::new(inner)))
    }

    /// Writes everything pushed so far, or finds that it cannot; returns how the store is then.
    pub async fn flush(&self) -> Health {
        let (answer, answered) = oneshot::channel();
        if self.0.shared.queue.order_flush(answer) {
            answered.await.ok();
        }
        self.health()
    }

    /// Writes everything pushed so far and ends the writer; takes a few seconds at most.
    ///
    /// Records pushed later are lost, and counted. Queries still work.
    pub async fn close(&self) -> Health {
        self.0.shared.queue.order_close(CLOSE_LIMIT);
        // The writer gets a little longer than it gives itself.
        if timeout(CLOSE_LIMIT + DROP_LIMIT, self.0.shared.ended()).await.is_ok() {
            let writer = self.0.writer.lock().take();
            // The thread has nothing left to do, so this does not wait.
            if writer.is_some_and(|writer| writer.handle.join().is_err()) {
                tracing::error!("the writer of the record store panicked");
            }
        }
        self.0.readers.close_idle();
        self.health()
    }

    /// Tells whether records reach the disk.
    pub fn health(&self) -> Health {
        self.0.shared.health()
    }

    /// Returns what the record path has done so far.
    pub fn metrics(&self) -> StoreMetrics {
        let queue = &self.0.shared.queue;
        let queued = queue.len() as u64;
        let unwritten = if self.0.shared.trouble().is_some() { queued } else { 0 };
        StoreMetrics { queued, unwritten, waited: queue.waited(), ..queue.counters.metrics() }
    }

    /// Returns the folder of the store.
    pub fn folder(&self) -> &Path {
        &self.0.shared.config.folder
    }

    pub(crate) fn config(&self) -> &StoreConfig {
        &self.0.shared.config
    }

    pub(crate) fn file(&self) -> &Path {
        &self.0.shared.file
    }

    /// Takes a connection for a query that sees everything pushed before.
    pub(crate) async fn reader(&self) -> Result<Reader<'_>, StoreError> {
        let queue = &self.0.shared.queue;
        if queue.len() > 0 && self.0.shared.trouble().is_none() {
            self.flush_within(FRESHNESS_LIMIT).await;
        }
        self.0.readers.get().await
    }

    /// Lets the writer do something with its connection, between two batches.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Connection) -> BoxFuture<'c, Result<T, sqlx::Error>>,
        F: Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            Box::pin(async move {
                answer.send(work(db).await).ok();
            })
        });
        if !self.0.shared.queue.order(job) {
            return Err(self.why_not());
        }
        match answered.await {
            Ok(outcome) => outcome.map_err(|error| fault::while_writing(self.file(), &error)),
            Err(_) => Err(self.why_not()),
        }
    }

    fn why_not(&self) -> StoreError {
        if self.config().access == Access::ReadOnly {
            return StoreError::ReadOnly;
        }
        match self.0.shared.trouble() {
            Some(reason) => StoreError::CannotWrite { path: self.file().to_owned(), reason },
            None => StoreError::Closed,
        }
    }

    async fn flush_within(&self, limit: Duration) -> Health {
        match timeout(limit, self.flush()).await {
            Ok(health) => health,
            Err(_) => self.health(),
        }
    }
}

impl RecordSink for Store {
    fn push(&self, record: Record) -> Receipt {
        self.0.shared.queue.push(record)
    }

    fn ready(&self) -> Result<(), ToolError> {
        if !self.0.shared.queue.refuses() {
            return Ok(());
        }
        let message = match self.0.shared.trouble() {
            Some(reason) => format!(
                "The record store cannot write ({reason}); calls are refused until it can. \
                 Try again later."
            ),
            None => "The record store takes no more records: it is closed or read-only. \
                     Calls are refused."
                .to_owned(),
        };
        Err(ToolError::new(ErrorKind::Rejected, message))
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("file", &self.file())
            .field("mode", &self.0.shared.queue.mode())
            .finish_non_exhaustive()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Some(writer) = self.writer.get_mut().take() else { return };
        self.shared.queue.order_close(DROP_LIMIT);
        // The last handle may go with the listener for health, on the writer's own thread.
        if writer.handle.thread().id() != thread::current().id() {
            // A process that ends right after this would take the last records with it.
            writer.ended.recv_timeout(DROP_LIMIT).ok();
        }
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    // Records tell what people asked for: others on the machine have no business there.
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|source| folder_error(folder, source))
}

fn folder_error(folder: &Path, source: io::Error) -> StoreError {
    StoreError::Folder { path: PathBuf::from(folder), source }
}

fn start_writer(
    shared: Arc<Shared>,
    opened: oneshot::Sender<Result<(), StoreError>>,
) -> Result<WriterThread, StoreError> {
    let folder = shared.config.folder.clone();
    let (alive, ended) = mpsc::channel::<()>();
    let work = move || {
        writer::run(shared, opened);
        drop(alive);
    };
    let thread = thread::Builder::new().name("toolsmith-store".to_owned()).spawn(work);
    let handle = thread.map_err(|source| folder_error(&folder, source))?;
    Ok(WriterThread { handle, ended })
}
