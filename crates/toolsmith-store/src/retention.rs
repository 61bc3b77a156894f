//! Letting go of old records.

use std::{fs, io, path::Path, time::Duration};

use serde::Serialize;
use toolsmith_core::CallId;

use crate::{
    Store, StoreError,
    artifacts::blocking,
    files::Kept,
    sqlite::{artifact, remove},
};

/// How many records are removed at once: a few milliseconds, then others have their turn.
const STEP: u32 = 500;

/// How long records are kept; what is absent sets no limit.
///
/// When a limit is exceeded, the oldest records go, with their artifacts. Statistics are sums over
/// all time and stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "`max` is what each of them says")]
pub struct Retention {
    /// Records of calls that arrived longer ago than this go.
    pub max_age: Option<Duration>,
    /// No more records than this stay.
    pub max_records: Option<u64>,
    /// Database and artifacts together take no more bytes than this.
    pub max_bytes: Option<u64>,
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// How many records.
    pub records: u64,
    /// How many artifacts.
    pub artifacts: u64,
    /// How many bytes less there are.
    pub bytes: u64,
}

impl Store {
    /// Removes what is older or more than it should be, in short steps beside the writing.
    pub async fn prune(&self, retention: Retention) -> Result<Pruned, StoreError> {
        self.flush().await;
        let files = self.files();
        let listed = blocking(move || files.list()).await;
        let kept = listed.map_err(|source| artifact_error(self.folder(), source))?;
        let mut pruning = Pruning { store: self, kept, pruned: Pruned::default() };
        let before = self.used_bytes().await?;
        if let Some(age) = retention.max_age {
            let oldest = self.config().clock.now().minus(age);
            pruning.remove_before(CallId::first_at(oldest)).await?;
        }
        if let Some(count) = retention.max_records {
            let newest = self.write(move |db| Box::pin(remove::newest_but(db, count))).await?;
            if let Some(newest) = newest {
                pruning.remove_before(after(newest)).await?;
            }
        }
        if let Some(limit) = retention.max_bytes {
            pruning.remove_until_small(limit).await?;
        }
        let mut pruned = pruning.pruned;
        pruned.bytes += before.saturating_sub(self.used_bytes().await?);
        if pruned.records > 0 || retention.max_bytes.is_some() {
            self.give_back_space().await?;
        }
        Ok(pruned)
    }

    pub(crate) async fn used_bytes(&self) -> Result<u64, StoreError> {
        self.write(|db| Box::pin(remove::used_bytes(db))).await
    }

    /// Makes the file as small as its content.
    async fn give_back_space(&self) -> Result<(), StoreError> {
        let mut unused = u64::MAX;
        loop {
            let left = self.write(|db| Box::pin(remove::shrink(db))).await?;
            // What cannot be given back at this time is used for the next records.
            if left == 0 || left >= unused {
                break;
            }
            unused = left;
        }
        self.write(|db| Box::pin(remove::empty_log(db))).await.map(drop)
    }
}

pub(crate) fn artifact_error(path: &Path, source: io::Error) -> StoreError {
    StoreError::Artifact { path: path.to_owned(), source }
}

struct Pruning<'a> {
    store: &'a Store,
    /// The artifacts that are still there, the oldest first.
    kept: Vec<Kept>,
    pruned: Pruned,
}

impl Pruning<'_> {
    /// Removes the records of all calls before that one, with their artifacts.
    async fn remove_before(&mut self, id: CallId) -> Result<(), StoreError> {
        loop {
            let removed =
                self.store.write(move |db| Box::pin(remove::before(db, id, STEP))).await?;
            self.pruned.records += removed;
            if removed < u64::from(STEP) {
                break;
            }
        }
        self.store.write(move |db| Box::pin(remove::segments_before(db, id))).await?;
        // Files first: a row without a file is found again, a file without a row is not.
        self.remove_files_before(id).await?;
        self.store.write(move |db| Box::pin(artifact::remove_before(db, id))).await
    }

    async fn remove_files_before(&mut self, id: CallId) -> Result<(), StoreError> {
        let count = self.kept.partition_point(|kept| kept.id < id);
        for kept in self.kept.drain(..count).collect::<Vec<_>>() {
            let (path, bytes) = (kept.path.clone(), kept.bytes);
            match blocking(move || fs::remove_file(kept.path)).await {
                Ok(()) => {
                    self.pruned.artifacts += 1;
                    self.pruned.bytes += bytes;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(artifact_error(&path, source)),
            }
        }
        Ok(())
    }

    async fn remove_until_small(&mut self, limit: u64) -> Result<(), StoreError> {
        loop {
            let artifacts: u64 = self.kept.iter().map(|kept| kept.bytes).sum();
            if self.store.used_bytes().await? + artifacts <= limit {
                return Ok(());
            }
            let step = u64::from(STEP) - 1;
            let last = self.store.write(move |db| Box::pin(remove::oldest_but(db, step))).await?;
            match last {
                Some(last) => self.remove_before(after(last)).await?,
                // Fewer records than a step are left: they go together.
                None => return self.remove_before(CallId::from_bytes([0xff; 16])).await,
            }
        }
    }
}

/// Returns the identifier right behind another.
fn after(id: CallId) -> CallId {
    CallId::from_bytes(u128::from_be_bytes(id.to_bytes()).saturating_add(1).to_be_bytes())
}
