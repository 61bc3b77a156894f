//! The tables, and how an older database becomes a newer one.

use std::{path::Path, time::Duration};

use sqlx::{AssertSqlSafe, Row, SqliteConnection, query, query_scalar, raw_sql};

use super::fault::{self, Fault, while_writing};
use crate::{Durability, StoreError};

/// The steps from an empty file to the newest schema; the version is how many were taken.
const MIGRATIONS: &[&str] = &[V1, V2];

/// The newest schema version that this build knows.
pub(crate) const KNOWN: i64 = 2;

/// Records are appended in the order of `seq`; queries go by `record_id`, whose order is time.
///
/// A plain index by conversation or caller would cost the writer more than everything else: the
/// records of one batch belong to a thousand conversations and so touch a thousand pages. These
/// indexes begin with the segment of 16,384 records that a record lies in, so that all the writing
/// happens in the few pages of the newest segment, whoever calls; a query looks into one segment
/// after the other, and `segments` says which of them can hold what it looks for.
///
/// What statistics need is kept as sums: `tool_stats` and, as a histogram, `tool_durations`.
/// Calls of tools that do not exist are summed up under one name there.
pub(crate) const V1: &str = "
    CREATE TABLE calls (
        seq INTEGER PRIMARY KEY,
        record_id BLOB NOT NULL,
        tool_name TEXT NOT NULL,
        version TEXT,
        params TEXT NOT NULL,
        result TEXT,
        execution_time INTEGER NOT NULL, -- nanoseconds
        is_success INTEGER NOT NULL,
        error TEXT,
        error_type TEXT,
        caller_id TEXT,
        caller_type TEXT NOT NULL,
        conversation_id TEXT,
        workflow_id TEXT,
        node_id TEXT,
        task_id TEXT,
        user_id TEXT,
        created_at INTEGER NOT NULL -- Unix milliseconds
    );
    CREATE UNIQUE INDEX calls_record ON calls (record_id);
    CREATE INDEX calls_tool ON calls (seq >> 14, tool_name);
    CREATE INDEX calls_conversation ON calls (seq >> 14, conversation_id)
        WHERE conversation_id IS NOT NULL;
    CREATE INDEX calls_caller ON calls (seq >> 14, caller_id) WHERE caller_id IS NOT NULL;
    CREATE INDEX calls_user ON calls (seq >> 14, user_id) WHERE user_id IS NOT NULL;
    CREATE INDEX calls_workflow ON calls (seq >> 14, workflow_id) WHERE workflow_id IS NOT NULL;
    CREATE INDEX calls_task ON calls (seq >> 14, task_id) WHERE task_id IS NOT NULL;
    CREATE INDEX calls_failed ON calls (record_id) WHERE is_success = 0;
    CREATE TABLE segments (
        segment INTEGER PRIMARY KEY,
        first_id BLOB NOT NULL,
        last_id BLOB NOT NULL
    );
    CREATE TABLE tool_stats (
        tool_name TEXT NOT NULL PRIMARY KEY,
        calls INTEGER NOT NULL,
        failures INTEGER NOT NULL,
        total_micros INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tool_durations (
        tool_name TEXT NOT NULL,
        bucket INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        PRIMARY KEY (tool_name, bucket)
    ) WITHOUT ROWID;
    CREATE TABLE artifacts (
        id BLOB NOT NULL PRIMARY KEY,
        tool_name TEXT NOT NULL,
        media_type TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        caller_id TEXT,
        conversation_id TEXT,
        user_id TEXT,
        created_at INTEGER NOT NULL -- Unix milliseconds
    ) WITHOUT ROWID;
";

/// Keys of callers: never the key itself, only what it takes to know it again.
const V2: &str = "
    CREATE TABLE keys (
        id TEXT NOT NULL PRIMARY KEY,
        digest BLOB NOT NULL,
        name TEXT NOT NULL,
        role TEXT NOT NULL,
        tools TEXT, -- a JSON list of names and patterns
        allowance TEXT NOT NULL, -- JSON
        created_at INTEGER NOT NULL, -- Unix milliseconds, like the next two
        expires_at INTEGER,
        revoked_at INTEGER
    ) WITHOUT ROWID;
";

/// How often and how long a first opening waits for another one to finish.
const ATTEMPTS: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(10);

/// Brings a database to the newest schema; does next to nothing when it is there already.
pub(crate) async fn bring_up_to_date(
    db: &mut SqliteConnection,
    file: &Path,
    durability: Durability,
) -> Result<(), StoreError> {
    let failed = |error: sqlx::Error| while_writing(file, &error);
    let (found, journal) = state(db).await.map_err(failed)?;
    refuse_newer(found, file)?;
    if found == KNOWN && journal == "wal" {
        return probe(db).await.map_err(failed);
    }
    if found == 0 {
        refuse_foreign(db, file).await?;
        prepare_file(db, durability).await.map_err(failed)?;
    }
    use_write_ahead_log(db).await.map_err(failed)?;
    migrate(db, file).await?;
    if durability == Durability::Batched {
        raw_sql("PRAGMA synchronous = NORMAL").execute(db).await.map_err(failed)?;
    }
    Ok(())
}

/// Checks that a version is the one that this build reads.
pub(crate) fn check(found: i64, file: &Path) -> Result<(), StoreError> {
    refuse_newer(found, file)?;
    if found < KNOWN {
        return Err(StoreError::Older { path: file.to_owned(), found, known: KNOWN });
    }
    Ok(())
}

/// Returns the schema version of a database; zero when it has no tables.
pub(crate) async fn version(db: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    query_scalar("PRAGMA user_version").fetch_one(db).await
}

fn refuse_newer(found: i64, file: &Path) -> Result<(), StoreError> {
    if found > KNOWN {
        return Err(StoreError::Newer { path: file.to_owned(), found, known: KNOWN });
    }
    Ok(())
}

/// Returns the version and the journal mode, in one round trip: every start waits for it.
async fn state(db: &mut SqliteConnection) -> Result<(i64, String), sqlx::Error> {
    let select =
        query("SELECT user_version, journal_mode FROM pragma_user_version, pragma_journal_mode");
    let row = select.fetch_one(db).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

/// Finds out whether the database can be written: a read-only file is opened without a word.
async fn probe(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    match raw_sql("DELETE FROM segments WHERE FALSE").execute(db).await {
        // Someone else writes at this moment, so it can be written.
        Err(error) if fault::fault(&error) == Fault::Busy => Ok(()),
        other => other.map(drop),
    }
}

/// Settles what cannot be changed once the file has content.
async fn prepare_file(
    db: &mut SqliteConnection,
    durability: Durability,
) -> Result<(), sqlx::Error> {
    if durability == Durability::Batched {
        // A first command must not wait for the disk eight times to make an empty file.
        raw_sql("PRAGMA synchronous = OFF").execute(&mut *db).await?;
    }
    // Larger pages make fewer of them; and pruned space can be given back in small steps, without
    // rewriting the whole file.
    let settings = raw_sql("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL");
    settings.execute(db).await.map(drop)
}

/// Turns the write-ahead log on, which stays on for good.
async fn use_write_ahead_log(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    // The switch needs the file to itself, and SQLite's own waiting does not apply to it: two
    // processes that make the same database at once would otherwise stop each other.
    for _ in 1..ATTEMPTS {
        match raw_sql("PRAGMA journal_mode = WAL").execute(&mut *db).await {
            Err(error) if fault::fault(&error) == Fault::Busy => tokio::time::sleep(PAUSE).await,
            other => return other.map(drop),
        }
    }
    raw_sql("PRAGMA journal_mode = WAL").execute(db).await.map(drop)
}

async fn migrate(db: &mut SqliteConnection, file: &Path) -> Result<(), StoreError> {
    let begun = raw_sql("BEGIN IMMEDIATE").execute(&mut *db).await;
    begun.map_err(|error| while_writing(file, &error))?;
    let taken = take_steps(db, file).await;
    let end = if taken.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = raw_sql(end).execute(db).await;
    taken?;
    ended.map(drop).map_err(|error| while_writing(file, &error))
}

async fn take_steps(db: &mut SqliteConnection, file: &Path) -> Result<(), StoreError> {
    // Another process may have been faster: the version counts only once the lock is held.
    let found = version(db).await.map_err(|error| while_writing(file, &error))?;
    refuse_newer(found, file)?;
    let taken = usize::try_from(found).unwrap_or_default();
    for step in MIGRATIONS.iter().skip(taken) {
        let done = raw_sql(*step).execute(&mut *db).await;
        done.map_err(|error| while_writing(file, &error))?;
    }
    let stamp = AssertSqlSafe(format!("PRAGMA user_version = {KNOWN}"));
    raw_sql(stamp).execute(db).await.map(drop).map_err(|error| while_writing(file, &error))
}

/// Refuses a database of some other program rather than mixing our tables into it.
async fn refuse_foreign(db: &mut SqliteConnection, file: &Path) -> Result<(), StoreError> {
    // In one statement: another process may be making our tables at this moment.
    let select = "SELECT name FROM pragma_user_version, sqlite_schema WHERE user_version = 0";
    let first = query(select).fetch_optional(db).await;
    match first.map_err(|error| while_writing(file, &error))? {
        None => Ok(()),
        Some(row) => {
            let table: String = row.try_get(0).unwrap_or_default();
            let reason = format!("it has a table `{table}` of another program");
            Err(StoreError::Damaged { path: file.to_owned(), reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_number_of_migrations() {
        assert_eq!(usize::try_from(KNOWN).unwrap(), MIGRATIONS.len());
    }
}
