//! What is known of kept outputs.

use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection, query, sqlite::SqliteRow};
use toolsmith_core::{Artifact, CallId, Timestamp};

use super::{row, select::number};
use crate::ArtifactQuery;

const COLUMNS: &str =
    "id, tool_name, media_type, bytes, caller_id, conversation_id, user_id, created_at";

/// Adds what is known of an output; keeping the same one again replaces it.
pub(crate) async fn add(db: &mut SqliteConnection, artifact: Artifact) -> Result<(), sqlx::Error> {
    let mut insert: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("INSERT OR REPLACE INTO artifacts ({COLUMNS}) VALUES ("));
    insert
        .separated(", ")
        .push_bind(artifact.id.to_bytes().to_vec())
        .push_bind(row::shared(&artifact.tool_name))
        .push_bind(row::shared(&artifact.media_type))
        .push_bind(i64::try_from(artifact.bytes).unwrap_or(i64::MAX))
        .push_bind(artifact.caller_id.as_deref().map(row::shared))
        .push_bind(artifact.conversation_id.as_deref().map(row::shared))
        .push_bind(artifact.user_id.as_deref().map(row::shared))
        .push_bind(artifact.created_at.as_millis());
    insert.push(")").build().execute(db).await.map(drop)
}

/// Removes what is known of an output.
pub(crate) async fn remove(db: &mut SqliteConnection, id: CallId) -> Result<(), sqlx::Error> {
    let delete = query("DELETE FROM artifacts WHERE id = ?");
    delete.bind(id.to_bytes().to_vec()).execute(db).await.map(drop)
}

/// Removes what is known of outputs of calls before that one.
pub(crate) async fn remove_before(
    db: &mut SqliteConnection,
    before: CallId,
) -> Result<(), sqlx::Error> {
    let delete = query("DELETE FROM artifacts WHERE id < ?");
    delete.bind(before.to_bytes().to_vec()).execute(db).await.map(drop)
}

/// Reads what is known of the output of a call.
pub(crate) async fn find(
    db: &mut SqliteConnection,
    id: CallId,
) -> Result<Option<Artifact>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("SELECT {COLUMNS} FROM artifacts WHERE id = "));
    select.push_bind(id.to_bytes().to_vec());
    let found = select.build().fetch_optional(db).await?;
    found.as_ref().map(read).transpose()
}

/// Reads what is known of up to `limit` outputs, the newest first.
pub(crate) async fn list(
    db: &mut SqliteConnection,
    query: &ArtifactQuery,
    limit: usize,
) -> Result<Vec<Artifact>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("SELECT {COLUMNS} FROM artifacts WHERE TRUE"));
    let texts = [
        (" AND conversation_id = ", &query.conversation_id),
        (" AND tool_name = ", &query.tool_name),
        (" AND caller_id = ", &query.caller_id),
        (" AND user_id = ", &query.user_id),
    ];
    for (condition, value) in texts {
        if let Some(value) = value {
            select.push(condition).push_bind(row::shared(value));
        }
    }
    let bounds = [
        (" AND id < ", query.cursor),
        (" AND id >= ", query.since.map(CallId::first_at)),
        (" AND id < ", query.until.map(CallId::first_at)),
    ];
    for (condition, id) in bounds {
        if let Some(id) = id {
            select.push(condition).push_bind(id.to_bytes().to_vec());
        }
    }
    select.push(" ORDER BY id DESC LIMIT ").push_bind(i64::try_from(limit).unwrap_or(i64::MAX));
    let rows = select.build().fetch_all(db).await?;
    rows.iter().map(read).collect()
}

fn read(row: &SqliteRow) -> Result<Artifact, sqlx::Error> {
    Ok(Artifact {
        id: row::call_id(row, 0)?,
        tool_name: row.try_get::<&str, _>(1)?.into(),
        media_type: row.try_get::<&str, _>(2)?.into(),
        bytes: number(row.try_get(3)?),
        caller_id: row::text(row, 4)?,
        conversation_id: row::text(row, 5)?,
        user_id: row::text(row, 6)?,
        created_at: Timestamp::from_millis(row.try_get(7)?),
    })
}
