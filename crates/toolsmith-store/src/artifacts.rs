//! Large outputs, kept whole: a row with what is known of them, a file with the content.

use serde::Serialize;
use tokio::task::spawn_blocking;
use toolsmith_core::{
    Artifact, ArtifactPage, Artifacts, BoxFuture, CallId, Text, Timestamp, ToolError,
};

use crate::{
    Store, StoreError,
    files::{Files, Piece},
    sqlite::artifact,
};

/// The largest list.
const LONGEST_LIST: u32 = 10_000;

/// Which artifacts, the newest first; what is absent does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactQuery {
    /// Those of one conversation.
    pub conversation_id: Option<Text>,
    /// Those of one tool.
    pub tool_name: Option<Text>,
    /// Those of one caller.
    pub caller_id: Option<Text>,
    /// Those of one person.
    pub user_id: Option<Text>,
    /// Those whose calls arrived at this moment or later.
    pub since: Option<Timestamp>,
    /// Those whose calls arrived before this moment.
    pub until: Option<Timestamp>,
    /// Those that come after this one: the `next` of the list before.
    pub cursor: Option<CallId>,
    /// How many, at most; never more than 10,000.
    pub limit: u32,
}

impl Default for ArtifactQuery {
    fn default() -> Self {
        Self {
            conversation_id: None,
            tool_name: None,
            caller_id: None,
            user_id: None,
            since: None,
            until: None,
            cursor: None,
            limit: 100,
        }
    }
}

/// A list of artifacts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArtifactList {
    /// What is known of each.
    pub artifacts: Vec<Artifact>,
    /// The cursor of the next list, when there is one.
    pub next: Option<CallId>,
}

impl Store {
    /// Lists artifacts.
    pub async fn artifacts(&self, query: ArtifactQuery) -> Result<ArtifactList, StoreError> {
        let limit = query.limit.clamp(1, LONGEST_LIST) as usize;
        let mut reader = self.reader().await?;
        let found = artifact::list(&mut reader.db, &query, limit + 1).await;
        let mut artifacts = reader.give_back(found)?;
        let has_more = artifacts.len() > limit;
        artifacts.truncate(limit);
        let last = artifacts.last().map(|artifact| artifact.id);
        Ok(ArtifactList { next: last.filter(|_| has_more), artifacts })
    }

    /// Returns what is known of the artifact of a call.
    pub async fn artifact(&self, id: CallId) -> Result<Option<Artifact>, StoreError> {
        let mut reader = self.reader().await?;
        let found = artifact::find(&mut reader.db, id).await;
        reader.give_back(found)
    }

    pub(crate) fn files(&self) -> Files {
        Files::new(self.folder())
    }

    async fn keep_artifact(&self, artifact: &Artifact, content: &str) -> Result<(), StoreError> {
        let (files, id) = (self.files(), artifact.id);
        let durability = self.config().durability;
        // The row comes first: whoever erases a caller's outputs finds each of them, also one whose
        // file was written by a process that died in between.
        let row = artifact.clone();
        self.write(move |db| Box::pin(artifact::add(db, row))).await?;
        let content = content.to_owned();
        let path = files.path(id);
        let written = blocking(move || files.write(id, &content, durability)).await;
        if let Err(source) = written {
            self.write(move |db| Box::pin(artifact::remove(db, id))).await.ok();
            return Err(StoreError::Artifact { path, source });
        }
        Ok(())
    }
}

impl Artifacts for Store {
    fn keep<'a>(
        &'a self,
        artifact: &'a Artifact,
        content: &'a str,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        Box::pin(async move {
            self.keep_artifact(artifact, content).await.map_err(|error| {
                ToolError::failed("The whole output could not be kept.").with_source(error)
            })
        })
    }

    fn read(
        &self,
        id: CallId,
        offset: u64,
        limit: u64,
    ) -> BoxFuture<'_, Result<ArtifactPage, ToolError>> {
        Box::pin(async move {
            let artifact = self.artifact(id).await.map_err(unreadable)?;
            let artifact = artifact.ok_or_else(|| not_found(id))?;
            let files = self.files();
            match blocking(move || files.read(id, offset, limit)).await {
                Ok(Piece { offset, content, next_offset }) => {
                    Ok(ArtifactPage { artifact, offset, content, next_offset })
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(not_found(id)),
                Err(error) => Err(unreadable(error)),
            }
        })
    }
}

fn not_found(id: CallId) -> ToolError {
    ToolError::failed(format!(
        "Artifact {id} not found: no output of that call was kept, or it was pruned."
    ))
}

fn unreadable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ToolError {
    ToolError::failed("The artifact cannot be read; try again later.").with_source(error)
}

/// Does file work off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    spawn_blocking(work).await.map_err(std::io::Error::other)?
}
