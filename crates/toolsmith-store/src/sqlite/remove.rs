//! Removing records, in steps that are short enough for the writer to go on in between.

use sqlx::{
    QueryBuilder, Row, Sqlite, SqliteConnection, query, query_scalar, raw_sql, sqlite::SqliteRow,
};
use toolsmith_core::{CallId, Text};

use super::{
    insert::{Inserts, begin, finish},
    row, segment,
    select::number,
};
use crate::{
    erase::Erase,
    tally::{Counted, Tally},
};

/// Removes up to `limit` records of calls before that one, the oldest first.
pub(crate) async fn before(
    db: &mut SqliteConnection,
    before: CallId,
    limit: u32,
) -> Result<u64, sqlx::Error> {
    let delete = query(
        "DELETE FROM calls WHERE seq IN \
         (SELECT seq FROM calls WHERE record_id < ? ORDER BY record_id LIMIT ?)",
    );
    let done = delete.bind(before.to_bytes().to_vec()).bind(limit).execute(db).await?;
    Ok(done.rows_affected())
}

/// Forgets segments whose records were all of calls before that one.
pub(crate) async fn segments_before(
    db: &mut SqliteConnection,
    before: CallId,
) -> Result<(), sqlx::Error> {
    let delete = query("DELETE FROM segments WHERE last_id < ?");
    delete.bind(before.to_bytes().to_vec()).execute(db).await.map(drop)
}

/// Returns the record with that many older ones before it.
pub(crate) async fn oldest_but(
    db: &mut SqliteConnection,
    older: u64,
) -> Result<Option<CallId>, sqlx::Error> {
    nth(db, "SELECT record_id FROM calls ORDER BY record_id LIMIT 1 OFFSET ?", older).await
}

/// Returns the record with that many newer ones behind it.
pub(crate) async fn newest_but(
    db: &mut SqliteConnection,
    newer: u64,
) -> Result<Option<CallId>, sqlx::Error> {
    nth(db, "SELECT record_id FROM calls ORDER BY record_id DESC LIMIT 1 OFFSET ?", newer).await
}

async fn nth(
    db: &mut SqliteConnection,
    select: &'static str,
    offset: u64,
) -> Result<Option<CallId>, sqlx::Error> {
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let found = query(select).bind(offset).fetch_optional(db).await?;
    found.map(|row| row::call_id(&row, 0)).transpose()
}

/// Returns how many bytes of the file are in use.
pub(crate) async fn used_bytes(db: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    let pages: i64 = query_scalar("PRAGMA page_count").fetch_one(&mut *db).await?;
    let free: i64 = query_scalar("PRAGMA freelist_count").fetch_one(&mut *db).await?;
    let size: i64 = query_scalar("PRAGMA page_size").fetch_one(&mut *db).await?;
    Ok(number(pages - free) * number(size))
}

/// Gives some unused pages back to the disk; returns how many are left.
pub(crate) async fn shrink(db: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    raw_sql("PRAGMA incremental_vacuum(1000)").execute(&mut *db).await?;
    let free: i64 = query_scalar("PRAGMA freelist_count").fetch_one(db).await?;
    Ok(number(free))
}

/// Carries the write-ahead log over into the file and empties it; false when a reader is in the way.
pub(crate) async fn empty_log(db: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    let row = query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(db).await?;
    Ok(row.try_get::<i64, _>(0)? == 0)
}

/// Finds the records of whoever is to be erased, after the one with that number.
pub(crate) async fn find(
    db: &mut SqliteConnection,
    whose: &Erase,
    after: i64,
) -> Result<Vec<i64>, sqlx::Error> {
    let index = match whose {
        Erase::Caller(_) => "calls_caller",
        Erase::Conversation(_) => "calls_conversation",
        Erase::User(_) => "calls_user",
    };
    let mut select: QueryBuilder<Sqlite> = QueryBuilder::new(format!(
        "SELECT seq FROM calls INDEXED BY {index} WHERE {} AND ",
        segment::IN_ANY
    ));
    select.push(column(whose)).push(" = ").push_bind(row::shared(whose.id()));
    select.push(" AND seq > ").push_bind(after).push(" ORDER BY seq");
    select.build_query_scalar().fetch_all(db).await
}

/// Finds the artifacts of whoever is to be erased.
pub(crate) async fn find_artifacts(
    db: &mut SqliteConnection,
    whose: &Erase,
) -> Result<Vec<CallId>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> = QueryBuilder::new("SELECT id FROM artifacts WHERE ");
    select.push(column(whose)).push(" = ").push_bind(row::shared(whose.id()));
    let rows = select.build().fetch_all(db).await?;
    rows.iter().map(|row| row::call_id(row, 0)).collect()
}

/// Erases some records, and takes them out of the statistics.
pub(crate) async fn erase(
    db: &mut SqliteConnection,
    whose: Erase,
    numbers: Vec<i64>,
) -> Result<u64, sqlx::Error> {
    // What is deleted is overwritten at once, so that little is left if the rest should fail.
    raw_sql("PRAGMA secure_delete = ON").execute(&mut *db).await?;
    begin(db).await?;
    let erased = erase_within(db, &whose, &numbers).await;
    finish(db, erased).await
}

/// Rewrites the file without anything that is no longer in it.
///
/// Overwriting deleted rows is not enough: rows that move between pages leave copies in the space
/// that becomes free, and those are not found again. Only a rewritten file is clean.
pub(crate) async fn rewrite(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    raw_sql("PRAGMA secure_delete = OFF; VACUUM").execute(db).await.map(drop)
}

async fn erase_within(
    db: &mut SqliteConnection,
    whose: &Erase,
    numbers: &[i64],
) -> Result<u64, sqlx::Error> {
    let mut delete: QueryBuilder<Sqlite> = QueryBuilder::new("DELETE FROM calls WHERE ");
    // A number may have gone to another record since it was found.
    delete.push(column(whose)).push(" = ").push_bind(row::shared(whose.id()));
    delete.push(" AND seq IN (");
    let mut list = delete.separated(", ");
    for number in numbers {
        list.push_bind(*number);
    }
    delete.push(") RETURNING tool_name, version IS NOT NULL, execution_time, is_success");
    let rows = delete.build().persistent(false).fetch_all(&mut *db).await?;
    let erased: Vec<Erased> = rows.iter().map(Erased::read).collect::<Result<_, _>>()?;
    let tally = Tally::sum(erased.iter().map(Erased::counted)).negated();
    Inserts::new().add(db, &tally).await?;
    raw_sql("DELETE FROM tool_stats WHERE calls <= 0; DELETE FROM tool_durations WHERE calls <= 0")
        .execute(db)
        .await?;
    Ok(erased.len() as u64)
}

/// What the statistics knew of an erased record.
struct Erased {
    tool: Text,
    has_version: bool,
    nanos: i64,
    is_success: bool,
}

impl Erased {
    fn read(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            tool: row.try_get::<&str, _>(0)?.into(),
            has_version: row.try_get(1)?,
            nanos: row.try_get(2)?,
            is_success: row.try_get(3)?,
        })
    }

    fn counted(&self) -> Counted<'_> {
        Counted {
            tool: &self.tool,
            has_version: self.has_version,
            duration: std::time::Duration::from_nanos(number(self.nanos)),
            is_success: self.is_success,
        }
    }
}

fn column(whose: &Erase) -> &'static str {
    match whose {
        Erase::Caller(_) => "caller_id",
        Erase::Conversation(_) => "conversation_id",
        Erase::User(_) => "user_id",
    }
}
