//! Keys of callers, as rows.

use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection, query, sqlite::SqliteRow};
use toolsmith_core::{Role, Text, Timestamp};

use super::row;
use crate::Key;

const COLUMNS: &str =
    "id, digest, name, role, tools, allowance, created_at, expires_at, revoked_at";

/// Adds a key.
pub(crate) async fn add(db: &mut SqliteConnection, key: Key) -> Result<(), sqlx::Error> {
    let mut insert: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("INSERT INTO keys ({COLUMNS}) VALUES ("));
    insert
        .separated(", ")
        .push_bind(row::shared(&key.id))
        .push_bind(key.digest.clone())
        .push_bind(row::shared(&key.name))
        .push_bind(row::shared(key.role.as_str()))
        .push_bind(key.tools.as_ref().map(json).transpose()?)
        .push_bind(json(&key.allowance)?)
        .push_bind(key.created_at.as_millis())
        .push_bind(key.expires_at.map(Timestamp::as_millis))
        .push_bind(key.revoked_at.map(Timestamp::as_millis));
    insert.push(")").build().execute(db).await.map(drop)
}

/// Reads every key, the oldest first.
pub(crate) async fn all(db: &mut SqliteConnection) -> Result<Vec<Key>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("SELECT {COLUMNS} FROM keys ORDER BY created_at, id"));
    select.build().fetch_all(db).await?.iter().map(read).collect()
}

/// Takes a key back; tells whether there was one that could be.
pub(crate) async fn revoke(
    db: &mut SqliteConnection,
    id: Text,
    now: Timestamp,
) -> Result<bool, sqlx::Error> {
    let update = query("UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL");
    let done = update.bind(now.as_millis()).bind(row::shared(&id)).execute(db).await?;
    Ok(done.rows_affected() > 0)
}

fn read(found: &SqliteRow) -> Result<Key, sqlx::Error> {
    let role: &str = found.try_get(3)?;
    let tools: Option<&str> = found.try_get(4)?;
    let moment = |column| -> Result<Option<Timestamp>, sqlx::Error> {
        Ok(found.try_get::<Option<i64>, _>(column)?.map(Timestamp::from_millis))
    };
    Ok(Key {
        id: found.try_get::<&str, _>(0)?.into(),
        digest: found.try_get(1)?,
        name: found.try_get::<&str, _>(2)?.into(),
        // A role that this build does not know may do the least.
        role: Role::from_name(role).unwrap_or(Role::Viewer),
        tools: tools.map(serde_json::from_str).transpose().map_err(undecodable)?,
        allowance: serde_json::from_str(found.try_get(5)?).map_err(undecodable)?,
        created_at: Timestamp::from_millis(found.try_get(6)?),
        expires_at: moment(7)?,
        revoked_at: moment(8)?,
    })
}

fn json(value: &impl serde::Serialize) -> Result<String, sqlx::Error> {
    serde_json::to_string(value).map_err(|error| sqlx::Error::Encode(error.into()))
}

fn undecodable(error: serde_json::Error) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}
