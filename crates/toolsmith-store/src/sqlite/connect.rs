//! Opening and closing connections.

use std::{fs, path::Path, time::Duration};

use sqlx::{
    ConnectOptions, Connection, SqliteConnection, raw_sql,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};

use super::{
    fault::{self, Fault, while_reading, while_writing},
    schema,
};
use crate::{Durability, StoreError};

/// How long a statement waits for the lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A write-ahead log above this size, in bytes, is carried over when the writer leaves.
const LARGE_LOG: u64 = 1 << 20;

/// Opens the connection that writes, and brings the database up to date.
pub(crate) async fn writer(
    file: &Path,
    durability: Durability,
) -> Result<SqliteConnection, StoreError> {
    let synchronous = match durability {
        // Survives the death of the process; a power cut may take the last transactions, never
        // the file.
        Durability::Batched => SqliteSynchronous::Normal,
        Durability::Sync => SqliteSynchronous::Full,
    };
    let options = options(file)
        .create_if_missing(true)
        .synchronous(synchronous)
        .pragma("cache_size", "-16384")
        // Pages that many transactions touch are carried over once: fewer, larger checkpoints.
        .pragma("wal_autocheckpoint", "2000")
        .pragma("journal_size_limit", "67108864");
    let opened = options.connect().await;
    let mut db = opened.map_err(|error| while_writing(file, &error))?;
    schema::bring_up_to_date(&mut db, file, durability).await?;
    Ok(db)
}

/// Opens a connection for queries; it cannot write whatever the query says.
pub(crate) async fn reader(file: &Path) -> Result<SqliteConnection, StoreError> {
    if !file.exists() {
        return Err(StoreError::Missing { path: file.to_owned() });
    }
    let options = options(file).read_only(true);
    let opened = match open_and_touch(&options).await {
        // In a read-only folder SQLite cannot make the files that it coordinates with. When there
        // is no log, the file alone is the whole truth, and nobody can change it.
        Err(error) if fault::fault(&error) == Fault::Closed && log_size(file) == 0 => {
            open_and_touch(&options.immutable(true)).await
        }
        other => other,
    };
    let (db, found) = opened.map_err(|error| while_reading(file, &error))?;
    schema::check(found, file)?;
    Ok(db)
}

/// Closes the connection that wrote.
///
/// When the last connection closes, the database checkpoints, which means waiting for the disk: too
/// long for a command that made one call. A reader that is open meanwhile keeps it from that, and
/// a closing reader never checkpoints. Nothing is lost: the log is as durable as the file, and the
/// next one to open continues it. A large log is carried over here all the same, because reading
/// it would slow the next start.
pub(crate) async fn leave(mut db: SqliteConnection, file: &Path) {
    if log_size(file) > LARGE_LOG {
        let carried = raw_sql("PRAGMA busy_timeout = 100; PRAGMA wal_checkpoint(TRUNCATE)");
        carried.execute(&mut db).await.ok();
    }
    let keeper = reader(file).await.ok();
    db.close().await.ok();
    drop(keeper);
}

/// Returns the size of the write-ahead log in bytes.
pub(crate) fn log_size(file: &Path) -> u64 {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).map_or(0, |metadata| metadata.len())
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(false)
        .statement_cache_capacity(64)
        .thread_name(|_| "toolsmith-sql".to_owned())
        .disable_statement_logging()
}

/// Opens a connection and asks for the schema version: only a first statement opens the file.
async fn open_and_touch(
    options: &SqliteConnectOptions,
) -> Result<(SqliteConnection, i64), sqlx::Error> {
    let mut db = options.connect().await?;
    let version = schema::version(&mut db).await?;
    Ok((db, version))
}
