//! Erasing everything that is known of someone.

use toolsmith_core::Text;

use crate::{
    Pruned, Store, StoreError,
    artifacts::blocking,
    retention::artifact_error,
    sqlite::{artifact, remove},
};

/// How many records are erased at once: a few milliseconds, then others have their turn.
const STEP: usize = 500;

/// Whose records are erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Erase {
    /// Those of a caller.
    Caller(Text),
    /// Those of a conversation.
    Conversation(Text),
    /// Those of a person.
    User(Text),
}

impl Erase {
    /// Returns the identifier of the one who is erased.
    pub(crate) fn id(&self) -> &Text {
        match self {
            Self::Caller(id) | Self::Conversation(id) | Self::User(id) => id,
        }
    }
}

impl Store {
    /// Erases records and artifacts, and every trace of their text in the database's files.
    ///
    /// Erased calls no longer count in the statistics, unless they were pruned before: then only
    /// their sums are left. The last step rewrites the file; records pushed meanwhile wait in
    /// memory, so that calls go on.
    pub async fn erase(&self, whose: Erase) -> Result<Pruned, StoreError> {
        self.flush().await;
        let mut erased = Pruned::default();
        self.erase_artifacts(&whose, &mut erased).await?;
        let mut last = 0;
        loop {
            // The search may be long, and is done beside the writer.
            let mut reader = self.reader().await?;
            let found = remove::find(&mut reader.db, &whose, last).await;
            let found = reader.give_back(found)?;
            let Some(&greatest) = found.last() else { break };
            for some in found.chunks(STEP) {
                let (whose, some) = (whose.clone(), some.to_vec());
                let step = self.write(move |db| Box::pin(remove::erase(db, whose, some)));
                erased.records += step.await?;
            }
            last = greatest;
        }
        erased.bytes += self.clear_traces().await?;
        Ok(erased)
    }

    async fn erase_artifacts(&self, whose: &Erase, erased: &mut Pruned) -> Result<(), StoreError> {
        let mut reader = self.reader().await?;
        let found = remove::find_artifacts(&mut reader.db, whose).await;
        for id in reader.give_back(found)? {
            let files = self.files();
            let path = files.path(id);
            let removed = blocking(move || files.remove(id)).await;
            if let Some(bytes) = removed.map_err(|source| artifact_error(&path, source))? {
                erased.artifacts += 1;
                erased.bytes += bytes;
            }
            self.write(move |db| Box::pin(artifact::remove(db, id))).await?;
        }
        Ok(())
    }

    /// Rewrites the file and empties the log; returns how much smaller the content is.
    async fn clear_traces(&self) -> Result<u64, StoreError> {
        let traces = |reason: String| StoreError::Traces { path: self.file().to_owned(), reason };
        let before = self.used_bytes().await?;
        let rewritten = self.write(|db| Box::pin(remove::rewrite(db))).await;
        rewritten.map_err(|error| traces(error.to_string()))?;
        if !self.write(|db| Box::pin(remove::empty_log(db))).await? {
            return Err(traces("another process still reads an older state of it".to_owned()));
        }
        Ok(before.saturating_sub(self.used_bytes().await?))
    }
}
