//! How a store is opened.

use std::{fmt, path::PathBuf, sync::Arc, time::Duration};

use toolsmith_core::{Clock, SystemClock};

use crate::Health;

/// How a store is opened.
///
/// ```
/// use toolsmith_store::{Durability, StoreConfig};
///
/// let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(".toolsmith") };
/// assert_eq!(config.queue, 16_384);
/// ```
#[derive(Clone)]
pub struct StoreConfig {
    /// Where the database file and the artifacts lie; made when it is missing.
    pub folder: PathBuf,
    /// What a record's receipt promises.
    pub durability: Durability,
    /// How far `batched` records may be behind, at most.
    pub window: Duration,
    /// How many records may wait for the writer before callers wait too.
    pub queue: usize,
    /// How many bytes of input, output and error text may wait, whether the store can write or not.
    pub queue_bytes: usize,
    /// How many records are kept in memory while the store cannot write; then the oldest go.
    pub unwritten_limit: usize,
    /// Whether the store may write.
    pub access: Access,
    /// Hears when the store stops being able to write and when it has caught up again.
    ///
    /// It is called on the writer's thread: it should hand over, not work.
    pub on_health: Option<Arc<dyn Fn(Health) + Send + Sync>>,
    /// Tells the age of records when old ones are pruned.
    pub clock: Arc<dyn Clock>,
}

impl StoreConfig {
    /// Returns the usual settings for a store in that folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), ..Self::default() }
    }
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            folder: PathBuf::from(".toolsmith"),
            durability: Durability::Batched,
            window: Duration::from_millis(50),
            queue: 16_384,
            queue_bytes: 256 << 20,
            unwritten_limit: 100_000,
            access: Access::ReadWrite,
            on_health: None,
            clock: Arc::new(SystemClock),
        }
    }
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreConfig")
            .field("folder", &self.folder)
            .field("durability", &self.durability)
            .field("window", &self.window)
            .field("queue", &self.queue)
            .field("queue_bytes", &self.queue_bytes)
            .field("unwritten_limit", &self.unwritten_limit)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// What a record's receipt promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The record is on disk at most one window later; a killed process loses no more than that.
    #[default]
    Batched,
    /// The record is on disk before the receipt is given; records that meet share a commit.
    Sync,
}

/// Whether a store may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Records are written; an older database is brought up to date.
    #[default]
    ReadWrite,
    /// Only queries; works on a read-only folder, and beside a process that writes.
    ReadOnly,
}
