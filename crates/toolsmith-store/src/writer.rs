//! The one writer: a thread that takes what the queue has gathered and writes it in a transaction.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::oneshot,
    time::{Instant, timeout},
};
use toolsmith_core::Record;

use crate::{
    Durability, Health, StoreConfig, StoreError,
    backlog::Entry,
    queue::{Job, Mode, Queue},
    sqlite::{
        Connection, connect,
        fault::{self, Fault},
        insert::{Attempt, Inserts},
    },
};

/// The largest transaction, in records: a longer one would make others wait for the lock.
const LARGEST_BATCH: usize = 16_384;

/// When nothing has happened for this long, the memory of a burst is given back.
const IDLE_AFTER: Duration = Duration::from_secs(5);

/// For how many records the queue keeps memory while nothing happens.
const IDLE_CAPACITY: usize = 1_024;

/// How long the first and the longest wait before trying to write again.
const FIRST_RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_secs(5);

/// How often growing trouble is announced, at most.
const ANNOUNCED_EVERY: Duration = Duration::from_secs(1);

/// What the writer and the handles of a store share.
pub(crate) struct Shared {
    pub(crate) config: StoreConfig,
    pub(crate) file: PathBuf,
    pub(crate) queue: Queue,
    /// Why the store cannot write, while it cannot.
    trouble: Mutex<Option<String>>,
    /// Those who wait for the writer to end; none once it has.
    waiting_for_end: Mutex<Option<Vec<oneshot::Sender<()>>>>,
}

impl Shared {
    pub(crate) fn new(config: StoreConfig, file: PathBuf) -> Self {
        Self {
            queue: Queue::new(&config),
            config,
            file,
            trouble: Mutex::new(None),
            waiting_for_end: Mutex::new(Some(Vec::new())),
        }
    }

    /// Returns when the writer has ended.
    pub(crate) async fn ended(&self) {
        let (sender, receiver) = oneshot::channel();
        // The sender is never used: it goes away with the writer, or at once if that has ended.
        match &mut *self.waiting_for_end.lock() {
            Some(waiting) => waiting.push(sender),
            None => drop(sender),
        }
        receiver.await.ok();
    }

    /// Tells whether records reach the disk.
    pub(crate) fn health(&self) -> Health {
        match &*self.trouble.lock() {
            None => Health::Good,
            Some(reason) => Health::Failing {
                unwritten: self.queue.len() as u64,
                lost: self.queue.counters.lost(),
                reason: reason.clone(),
            },
        }
    }

    /// Returns why the store cannot write, while it cannot.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    fn announce(&self, health: Health) {
        let Some(listener) = &self.config.on_health else { return };
        // The records of everyone else must not end because a listener fails.
        if catch_unwind(AssertUnwindSafe(|| listener(health))).is_err() {
            tracing::error!("the listener for the health of the record store panicked");
        }
    }
}

/// Opens the database for writing and writes until the store is closed.
pub(crate) fn run(shared: Arc<Shared>, opened: oneshot::Sender<Result<(), StoreError>>) {
    let _ending = Ending(Arc::clone(&shared));
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_time().build() {
        Ok(runtime) => runtime,
        Err(source) => {
            let path = shared.config.folder.clone();
            opened.send(Err(StoreError::Folder { path, source })).ok();
            return;
        }
    };
    runtime.block_on(async move {
        match connect::writer(&shared.file, shared.config.durability).await {
            Err(error) => drop(opened.send(Err(error))),
            Ok(db) => {
                opened.send(Ok(())).ok();
                Writer::new(shared, db).run().await;
            }
        }
    });
}

/// Closes the queue when the writer ends, however it ends.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.trouble.lock() = Some("the writer stopped unexpectedly".to_owned());
        }
        self.0.queue.close();
        self.0.waiting_for_end.lock().take();
    }
}

struct Writer {
    shared: Arc<Shared>,
    db: Option<Connection>,
    inserts: Inserts,
    /// How long records are gathered before they are written.
    window: Duration,
    /// When the queue was last taken whole: no record in it is older.
    emptied: Instant,
    /// Memory for the next batch.
    spare: VecDeque<Entry>,
    trouble: Option<Trouble>,
    /// When the writer ends at the latest, once it is told to.
    closing: Option<Instant>,
}

/// A time in which the store cannot write.
struct Trouble {
    retry_at: Instant,
    retry_after: Duration,
    announced_at: Instant,
    /// What was announced: records unwritten and lost.
    announced: (usize, u64),
    /// How many records have been written since it began.
    written: u64,
}

impl Writer {
    fn new(shared: Arc<Shared>, db: Connection) -> Self {
        let window = match shared.config.durability {
            // Gathering takes less than half of the promised time; the rest is for the writing.
            Durability::Batched => shared.config.window * 2 / 5,
            Durability::Sync => Duration::ZERO,
        };
        Self {
            shared,
            db: Some(db),
            inserts: Inserts::new(),
            window,
            emptied: Instant::now(),
            spare: VecDeque::new(),
            trouble: None,
            closing: None,
        }
    }

    async fn run(mut self) {
        loop {
            self.wait().await;
            let started = Instant::now();
            let orders = self.shared.queue.take_orders();
            self.closing = orders.closing;
            let has_orders = !orders.jobs.is_empty() || !orders.flushes.is_empty();
            if has_orders || orders.closing.is_some() || self.is_due() {
                let is_good = self.write_all().await;
                self.do_jobs(orders.jobs, is_good).await;
            }
            self.announce_growth();
            for flush in orders.flushes {
                flush.send(()).ok();
            }
            self.shared.queue.counters.was_busy(started.elapsed());
            let is_over = |end| self.shared.queue.len() == 0 || Instant::now() >= end;
            if orders.closing.is_some_and(is_over) {
                break;
            }
        }
        if let Some(db) = self.db.take() {
            connect::leave(db, &self.shared.file).await;
        }
    }

    async fn wait(&mut self) {
        match &self.trouble {
            None => {
                let queue = &self.shared.queue;
                let gathered = queue.gathered(self.window, self.emptied);
                if timeout(IDLE_AFTER, gathered).await.is_err() {
                    self.spare.shrink_to(IDLE_CAPACITY);
                    queue.shrink(IDLE_CAPACITY);
                    queue.gathered(self.window, self.emptied).await;
                }
            }
            Some(trouble) => {
                let until = trouble.retry_at.min(trouble.announced_at + ANNOUNCED_EVERY);
                let until = self.closing.map_or(until, |end| until.min(end));
                self.shared.queue.ordered(until).await;
            }
        }
    }

    fn is_due(&self) -> bool {
        self.trouble.as_ref().is_none_or(|trouble| trouble.retry_at <= Instant::now())
    }

    /// Writes what is in the queue at this moment; false when the store cannot write.
    async fn write_all(&mut self) -> bool {
        // Everything that is there is taken below; what remains then was pushed after this.
        self.emptied = Instant::now();
        let mut left = self.shared.queue.len();
        while left > 0 {
            let spare = std::mem::take(&mut self.spare);
            let mut batch = self.shared.queue.take(left.min(LARGEST_BATCH), spare);
            if batch.is_empty() {
                break;
            }
            left = left.saturating_sub(batch.len());
            let written = self.write(&batch).await;
            match &written {
                Ok(refused) => self.settle(&mut batch, refused),
                Err(_) => self.shared.queue.put_back(&mut batch),
            }
            self.spare = batch;
            if let Err(reason) = written {
                self.fail(&reason);
                return false;
            }
        }
        self.recover();
        true
    }

    /// Writes a batch; returns the places of those records that cannot be stored at all.
    async fn write(&mut self, batch: &VecDeque<Entry>) -> Result<Vec<usize>, String> {
        let attempt = if self.trouble.is_some() { Attempt::Again } else { Attempt::First };
        let records: Vec<&Record> = batch.iter().map(|entry| &entry.record).collect();
        let db = connected(&mut self.db, &self.shared).await?;
        match self.inserts.write(db, &records, attempt).await {
            Ok(refused) => {
                self.shared.queue.counters.gave_up(refused.len());
                self.shared.queue.counters.wrote(records.len() - refused.len());
                Ok(refused)
            }
            Err(error) => {
                // After any other error the state of the connection is anyone's guess.
                if fault::fault(&error) != Fault::Busy {
                    self.db = None;
                }
                Err(fault::reason(&error))
            }
        }
    }

    /// Answers those who wait for a batch; `refused` are places in it, in ascending order.
    fn settle(&mut self, batch: &mut VecDeque<Entry>, refused: &[usize]) {
        self.shared.queue.settle();
        if let Some(trouble) = &mut self.trouble {
            trouble.written += (batch.len() - refused.len()) as u64;
        }
        for (place, entry) in batch.drain(..).enumerate() {
            // A receipt that goes away unanswered says that the record is not safe.
            if let Some(receipt) = entry.receipt
                && refused.binary_search(&place).is_err()
            {
                receipt.send(()).ok();
            }
        }
    }

    async fn do_jobs(&mut self, jobs: Vec<Job>, is_good: bool) {
        if jobs.is_empty() {
            return;
        }
        if is_good {
            self.shared.queue.set_mode(Mode::Patient);
        }
        for job in jobs {
            // A job that is dropped tells whoever waits for it.
            if let Ok(db) = connected(&mut self.db, &self.shared).await {
                job(db).await;
            }
        }
        if is_good {
            self.shared.queue.set_mode(Mode::Open);
        }
    }

    /// Notes that the store cannot write, and when it will try again.
    fn fail(&mut self, reason: &str) {
        let now = Instant::now();
        let retry_after = match &self.trouble {
            None => FIRST_RETRY,
            Some(trouble) => (trouble.retry_after * 2).min(LONGEST_RETRY),
        };
        *self.shared.trouble.lock() = Some(reason.to_owned());
        match &mut self.trouble {
            Some(trouble) => {
                trouble.retry_after = retry_after;
                trouble.retry_at = now + retry_after;
            }
            None => {
                self.shared.queue.set_mode(Mode::Failing);
                tracing::warn!(reason, file = %self.shared.file.display(), "records cannot be written");
                self.trouble = Some(Trouble {
                    retry_at: now + retry_after,
                    retry_after,
                    announced_at: now,
                    announced: self.extent(),
                    written: 0,
                });
                self.shared.announce(self.shared.health());
            }
        }
    }

    fn announce_growth(&mut self) {
        let extent = self.extent();
        let Some(trouble) = &mut self.trouble else { return };
        if trouble.announced_at.elapsed() < ANNOUNCED_EVERY {
            return;
        }
        trouble.announced_at = Instant::now();
        if std::mem::replace(&mut trouble.announced, extent) != extent {
            self.shared.announce(self.shared.health());
        }
    }

    fn recover(&mut self) {
        let Some(trouble) = self.trouble.take() else { return };
        *self.shared.trouble.lock() = None;
        self.shared.queue.set_mode(Mode::Open);
        tracing::info!(written = trouble.written, "records can be written again");
        self.shared.announce(Health::Recovered { written: trouble.written });
    }

    fn extent(&self) -> (usize, u64) {
        (self.shared.queue.len(), self.shared.queue.counters.lost())
    }
}

/// Returns the connection, opened again when it was given up.
async fn connected<'d>(
    db: &'d mut Option<Connection>,
    shared: &Shared,
) -> Result<&'d mut Connection, String> {
    if db.is_none() {
        let opened = connect::writer(&shared.file, shared.config.durability).await;
        *db = Some(opened.map_err(|error| reason_of(&error, &shared.file))?);
    }
    db.as_mut().ok_or_else(|| "the connection is gone".to_owned())
}

fn reason_of(error: &StoreError, file: &Path) -> String {
    match error {
        StoreError::CannotWrite { reason, .. } | StoreError::Damaged { reason, .. } => {
            reason.clone()
        }
        other => format!("{}: {other}", file.display()),
    }
}
