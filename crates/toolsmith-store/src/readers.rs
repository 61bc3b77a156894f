//! Connections for queries: opened when they are first needed, kept, and few.

use std::{fmt, path::PathBuf};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::{
    StoreError,
    sqlite::{Connection, connect, fault},
};

/// How many queries run at once; more wait.
const MOST: usize = 4;

/// The connections for queries.
///
/// Not the pool of the SQL library: a connection here belongs to no runtime, goes back without a
/// task of its own, and a read-only folder needs another way to open it.
pub(crate) struct Readers {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
}

impl Readers {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file, idle: Mutex::default(), permits: Semaphore::new(MOST) }
    }

    /// Takes a connection that nobody uses.
    pub(crate) async fn get(&self) -> Result<Reader<'_>, StoreError> {
        let permit = self.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        let idle = self.idle.lock().pop();
        let db = match idle {
            Some(db) => db,
            None => connect::reader(&self.file).await?,
        };
        Ok(Reader { db, readers: self, _permit: permit })
    }

    /// Lets go of connections that nobody uses.
    pub(crate) fn close_idle(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        drop(idle);
    }
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("file", &self.file).finish_non_exhaustive()
    }
}

/// A connection in use.
pub(crate) struct Reader<'a> {
    pub(crate) db: Connection,
    readers: &'a Readers,
    _permit: SemaphorePermit<'a>,
}

impl Reader<'_> {
    /// Returns the connection for the next query, unless this one went wrong.
    ///
    /// A query that is dropped half-way takes its connection with it.
    pub(crate) fn give_back<T>(self, answer: Result<T, sqlx::Error>) -> Result<T, StoreError> {
        match answer {
            Ok(answer) => {
                self.readers.idle.lock().push(self.db);
                Ok(answer)
            }
            Err(error) => Err(fault::while_reading(&self.readers.file, &error)),
        }
    }
}
