//! Writing: many rows a statement, one transaction a batch.

use std::{collections::HashSet, sync::Arc};

use sqlx::{
    Arguments, AssertSqlSafe, QueryBuilder, SqlSafeStr, SqlStr, Sqlite, SqliteConnection,
    error::BoxDynError, query, query_with, sqlite::SqliteArguments,
};
use toolsmith_core::{CallId, Record};

use super::{
    fault::{Fault, fault},
    row::{self, Repeated},
    segment,
};
use crate::tally::Tally;

/// How many rows the prepared statements take, largest first.
///
/// A batch is cut into the largest that fit: thousands of rows need a handful of round trips to
/// the database's thread, and only these few statements are ever compiled.
const SIZES: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];

/// The statements that write records and what is summed up of them.
#[derive(Debug)]
pub(crate) struct Inserts {
    calls: Statements,
    segments: Statements,
    tools: Statements,
    durations: Statements,
}

/// Whether a batch has been tried before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// None of these records can be there.
    First,
    /// A commit failed: it may have reached the disk after all, so what is there is skipped.
    Again,
}

impl Inserts {
    pub(crate) fn new() -> Self {
        // A statement that fails half-way is undone with its whole transaction, so SQLite need not
        // keep the means to undo it alone: that would cost as much as the inserting.
        let calls = format!("INSERT OR FAIL INTO calls ({}) VALUES ", row::COLUMNS);
        Self {
            calls: Statements::new(&calls, row::WIDTH, ""),
            segments: Statements::new(
                "INSERT INTO segments (segment, first_id, last_id) VALUES ",
                3,
                " ON CONFLICT DO UPDATE SET first_id = min(first_id, excluded.first_id), \
                 last_id = max(last_id, excluded.last_id)",
            ),
            tools: Statements::new(
                "INSERT INTO tool_stats (tool_name, calls, failures, total_micros) VALUES ",
                4,
                " ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, \
                 failures = failures + excluded.failures, \
                 total_micros = total_micros + excluded.total_micros",
            ),
            durations: Statements::new(
                "INSERT INTO tool_durations (tool_name, bucket, calls) VALUES ",
                3,
                " ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
            ),
        }
    }

    /// Writes a batch in one transaction; returns the places of records that cannot be stored at all.
    pub(crate) async fn write(
        &self,
        db: &mut SqliteConnection,
        records: &[&Record],
        attempt: Attempt,
    ) -> Result<Vec<usize>, sqlx::Error> {
        begin(db).await?;
        let written = match attempt {
            Attempt::First => self.records(db, records).await,
            Attempt::Again => self.absent_records(db, records).await,
        };
        finish(db, written).await
    }

    /// Adds sums to what is summed up already; a negated tally takes them away again.
    pub(crate) async fn add(
        &self,
        db: &mut SqliteConnection,
        tally: &Tally,
    ) -> Result<(), sqlx::Error> {
        let tools = self.tools.run(db, &tally.tools, |arguments, tool| {
            arguments.add(row::shared(&tool.name))?;
            arguments.add(tool.calls)?;
            arguments.add(tool.failures)?;
            arguments.add(tool.total_micros)
        });
        tools.await?;
        let durations = self.durations.run(db, &tally.durations, |arguments, duration| {
            arguments.add(row::shared(&duration.tool))?;
            arguments.add(i64::from(duration.bucket))?;
            arguments.add(duration.calls)
        });
        durations.await.map(drop)
    }

    /// Writes those records that are not there; returns the places of those that cannot be stored.
    async fn absent_records(
        &self,
        db: &mut SqliteConnection,
        records: &[&Record],
    ) -> Result<Vec<usize>, sqlx::Error> {
        let present = present(db, records).await?;
        let is_absent = |record: &Record| !present.contains(&record.record_id);
        let all = records.iter().copied().enumerate();
        let (places, absent): (Vec<usize>, Vec<&Record>) =
            all.filter(|(_, record)| is_absent(record)).unzip();
        let refused = self.records(db, &absent).await?;
        Ok(refused.into_iter().filter_map(|place| places.get(place).copied()).collect())
    }

    /// Writes records and what is kept beside them; returns the places of those it cannot store.
    async fn records(
        &self,
        db: &mut SqliteConnection,
        records: &[&Record],
    ) -> Result<Vec<usize>, sqlx::Error> {
        let mut repeated = Repeated::default();
        let all = self
            .calls
            .run(db, records, |arguments, record| row::bind(arguments, record, &mut repeated));
        match all.await {
            Ok(last) => self.beside(db, records, last).await.map(|()| Vec::new()),
            Err(error) if fault(&error) == Fault::Record => {
                let (stored, last, refused) = self.one_by_one(db, records).await?;
                self.beside(db, &stored, last).await?;
                Ok(refused)
            }
            Err(error) => Err(error),
        }
    }

    /// Adds stored records to the segments and to the sums; `last` is the number of the last one.
    async fn beside(
        &self,
        db: &mut SqliteConnection,
        records: &[&Record],
        last: i64,
    ) -> Result<(), sqlx::Error> {
        let zones = segment::zones_of(records, last);
        let widened = self.segments.run(db, &zones, |arguments, zone| {
            arguments.add(zone.segment)?;
            arguments.add(zone.first.to_bytes().as_slice())?;
            arguments.add(zone.last.to_bytes().as_slice())
        });
        widened.await?;
        self.add(db, &Tally::of(records)).await
    }

    /// Writes each record by itself, so that one that cannot be stored does not hold up the others.
    async fn one_by_one<'r>(
        &self,
        db: &mut SqliteConnection,
        records: &[&'r Record],
    ) -> Result<(Vec<&'r Record>, i64, Vec<usize>), sqlx::Error> {
        // The rows of the batch that did go in are taken back.
        query("ROLLBACK").execute(&mut *db).await?;
        begin(db).await?;
        let mut stored = Vec::with_capacity(records.len());
        let mut last = 0;
        let mut refused = Vec::new();
        for (place, record) in records.iter().enumerate() {
            let one = std::slice::from_ref(record);
            let done = self.calls.run(db, one, |arguments, record| {
                row::bind(arguments, record, &mut Repeated::default())
            });
            match done.await {
                Ok(number) => {
                    stored.push(*record);
                    last = number;
                }
                Err(error) if fault(&error) == Fault::Record => {
                    tracing::error!(call.id = %record.record_id, %error, "a record cannot be stored");
                    refused.push(place);
                }
                Err(error) => return Err(error),
            }
        }
        Ok((stored, last, refused))
    }
}

/// Opens a transaction that holds the write lock from the start, so that it cannot fail half-way
/// because another process was faster.
pub(crate) async fn begin(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    query("BEGIN IMMEDIATE").execute(db).await.map(drop)
}

/// Commits a transaction that went well, and takes back one that did not.
pub(crate) async fn finish<T>(
    db: &mut SqliteConnection,
    outcome: Result<T, sqlx::Error>,
) -> Result<T, sqlx::Error> {
    let committed = match outcome {
        Ok(value) => query("COMMIT").execute(&mut *db).await.map(|_| value),
        Err(error) => Err(error),
    };
    if committed.is_err() {
        // SQLite has often rolled back by itself, and then says that there is nothing to undo.
        query("ROLLBACK").execute(db).await.ok();
    }
    committed
}

/// Returns the identifiers of those records that are in the database.
async fn present(
    db: &mut SqliteConnection,
    records: &[&Record],
) -> Result<HashSet<CallId>, sqlx::Error> {
    let mut present: HashSet<CallId> = HashSet::new();
    for some in records.chunks(1_000) {
        let mut select: QueryBuilder<Sqlite> =
            QueryBuilder::new("SELECT record_id FROM calls WHERE record_id IN (");
        let mut list = select.separated(", ");
        for record in some {
            list.push_bind(record.record_id.to_bytes().to_vec());
        }
        select.push(")");
        for found in select.build().persistent(false).fetch_all(&mut *db).await? {
            present.insert(row::call_id(&found, 0)?);
        }
    }
    Ok(present)
}

/// One kind of insertion, prepared for each of the [`SIZES`].
#[derive(Debug)]
struct Statements {
    width: usize,
    by_size: [SqlStr; SIZES.len()],
}

impl Statements {
    fn new(head: &str, width: usize, tail: &str) -> Self {
        let row = format!("({})", vec!["?"; width].join(", "));
        let by_size = SIZES.map(|size| {
            let rows = vec![row.as_str(); size].join(", ");
            AssertSqlSafe(Arc::<str>::from(format!("{head}{rows}{tail}"))).into_sql_str()
        });
        Self { width, by_size }
    }

    /// Inserts rows; returns the number of the last one.
    async fn run<T>(
        &self,
        db: &mut SqliteConnection,
        rows: &[T],
        mut bind: impl FnMut(&mut SqliteArguments, &T) -> Result<(), BoxDynError>,
    ) -> Result<i64, sqlx::Error> {
        let mut rest = rows;
        let mut last = 0;
        for (size, statement) in SIZES.into_iter().zip(&self.by_size) {
            while let Some((some, others)) = rest.split_at_checked(size) {
                let mut arguments = SqliteArguments::default();
                arguments.reserve(size * self.width, 0);
                for row in some {
                    bind(&mut arguments, row).map_err(sqlx::Error::Encode)?;
                }
                let done = query_with(statement.clone(), arguments).execute(&mut *db).await?;
                last = done.last_insert_rowid();
                rest = others;
            }
        }
        Ok(last)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use sqlx::query_scalar;
    use toolsmith_core::{CallerType, JsonText, Timestamp};

    use super::*;
    use crate::{Durability, sqlite::connect};

    async fn open(folder: &Path) -> SqliteConnection {
        connect::writer(&folder.join("toolsmith.db"), Durability::Batched).await.unwrap()
    }

    pub(crate) fn record(random: u64) -> Record {
        let created_at = Timestamp::from_millis(1_763_000_000_000);
        Record {
            record_id: CallId::from_parts(created_at, random),
            tool_name: "echo".into(),
            version: None,
            params: JsonText::from_trusted("{}".to_owned()),
            result: None,
            execution_time: std::time::Duration::from_millis(1),
            is_success: true,
            error: None,
            error_type: None,
            caller_id: None,
            caller_type: CallerType::Unknown,
            conversation_id: None,
            workflow_id: None,
            node_id: None,
            task_id: None,
            user_id: None,
            created_at,
        }
    }

    async fn counted(db: &mut SqliteConnection) -> (i64, i64) {
        let rows = query_scalar("SELECT count(*) FROM calls").fetch_one(&mut *db).await.unwrap();
        let sums = query_scalar("SELECT sum(calls) FROM tool_stats").fetch_one(db).await.unwrap();
        (rows, sums)
    }

    #[tokio::test]
    async fn a_batch_that_had_reached_the_disk_is_not_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = open(folder.path()).await;
        let inserts = Inserts::new();
        let all: Vec<Record> = (0..700).map(record).collect();
        let all: Vec<&Record> = all.iter().collect();
        // The commit of the first half succeeded, but nobody heard of it.
        let (half, _) = all.split_at(350);
        assert_eq!(inserts.write(&mut db, half, Attempt::First).await.unwrap(), [0; 0]);
        assert_eq!(inserts.write(&mut db, &all, Attempt::Again).await.unwrap(), [0; 0]);
        assert_eq!(counted(&mut db).await, (700, 700));
    }

    #[tokio::test]
    async fn the_records_that_cannot_be_stored_are_named_by_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = open(folder.path()).await;
        let inserts = Inserts::new();
        let all = [2, 2, 3, 1, 4].map(record);
        let all: Vec<&Record> = all.iter().collect();
        assert_eq!(inserts.write(&mut db, &all, Attempt::First).await.unwrap(), [1]);
        let more = [4, 5, 5, 6].map(record);
        let more: Vec<&Record> = more.iter().collect();
        assert_eq!(inserts.write(&mut db, &more, Attempt::Again).await.unwrap(), [2]);
        assert_eq!(counted(&mut db).await, (6, 6));
    }

    #[tokio::test]
    async fn a_batch_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = open(folder.path()).await;
        query("DROP TABLE tool_durations").execute(&mut db).await.unwrap();
        let records = [record(1), record(2)];
        let records: Vec<&Record> = records.iter().collect();
        assert!(Inserts::new().write(&mut db, &records, Attempt::First).await.is_err());
        let rows: i64 =
            query_scalar("SELECT count(*) FROM calls").fetch_one(&mut db).await.unwrap();
        assert_eq!(rows, 0);
    }

    #[test]
    fn any_number_of_rows_is_cut_into_prepared_sizes() {
        assert_eq!(SIZES.last(), Some(&1));
        assert!(SIZES.iter().all(|size| size * row::WIDTH < 32_766), "the most that can be bound");
    }
}
