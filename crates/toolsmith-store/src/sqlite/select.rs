//! Reading records and what is summed up of them.

use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection, query};
use toolsmith_core::{CallId, Record, Text};

use super::{row, segment};
use crate::{Order, Query};

/// How many records a query looks through one by one before it turns to an index.
///
/// Who is looked for has often just called: then this is faster than any index.
const RECENT: usize = 2_000;

/// Reads up to `limit` records.
pub(crate) async fn records(
    db: &mut SqliteConnection,
    query: &Query,
    limit: usize,
) -> Result<Vec<Record>, sqlx::Error> {
    let Some(index) = index_for(query) else {
        return walk(db, query, limit).await;
    };
    let recent = walk_recent(db, query, limit).await?;
    if recent.len() >= limit {
        return Ok(recent);
    }
    segment::search(db, query, index, limit).await
}

/// Reads the record of one call.
pub(crate) async fn record(
    db: &mut SqliteConnection,
    id: CallId,
) -> Result<Option<Record>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("SELECT {} FROM calls WHERE record_id = ", row::COLUMNS));
    select.push_bind(id.to_bytes().to_vec());
    let found = select.build().fetch_optional(db).await?;
    found.as_ref().map(row::read).transpose()
}

/// How often a tool was called.
pub(crate) struct ToolCount {
    pub(crate) tool: Text,
    pub(crate) calls: u64,
    pub(crate) failures: u64,
}

/// Counts the calls of a conversation by tool.
pub(crate) async fn conversation(
    db: &mut SqliteConnection,
    conversation_id: &Text,
    caller_id: Option<&Text>,
) -> Result<Vec<ToolCount>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> = QueryBuilder::new(format!(
        "SELECT tool_name, count(*), count(*) - sum(is_success) \
         FROM calls INDEXED BY calls_conversation WHERE {} AND conversation_id = ",
        segment::IN_ANY
    ));
    select.push_bind(row::shared(conversation_id));
    if let Some(caller_id) = caller_id {
        select.push(" AND caller_id = ").push_bind(row::shared(caller_id));
    }
    select.push(" GROUP BY tool_name");
    let rows = select.build().fetch_all(db).await?;
    let counts = rows.iter().map(|row| {
        Ok(ToolCount {
            tool: row.try_get::<&str, _>(0)?.into(),
            calls: number(row.try_get(1)?),
            failures: number(row.try_get(2)?),
        })
    });
    counts.collect()
}

/// What is summed up of all calls of a tool.
pub(crate) struct ToolSums {
    pub(crate) count: ToolCount,
    pub(crate) total_micros: u64,
}

/// Reads the sums of all tools, in the order of their names.
pub(crate) async fn tools(db: &mut SqliteConnection) -> Result<Vec<ToolSums>, sqlx::Error> {
    let select =
        query("SELECT tool_name, calls, failures, total_micros FROM tool_stats ORDER BY tool_name");
    let rows = select.fetch_all(db).await?;
    let sums = rows.iter().map(|row| {
        let count = ToolCount {
            tool: row.try_get::<&str, _>(0)?.into(),
            calls: number(row.try_get(1)?),
            failures: number(row.try_get(2)?),
        };
        Ok(ToolSums { count, total_micros: number(row.try_get(3)?) })
    });
    sums.collect()
}

/// Reads how often each tool took about how long, in the order of tools and buckets.
pub(crate) async fn durations(
    db: &mut SqliteConnection,
) -> Result<Vec<(Text, u16, u64)>, sqlx::Error> {
    let select =
        query("SELECT tool_name, bucket, calls FROM tool_durations ORDER BY tool_name, bucket");
    let rows = select.fetch_all(db).await?;
    let buckets = rows.iter().map(|row| {
        let bucket = u16::try_from(row.try_get::<i64, _>(1)?).unwrap_or(u16::MAX);
        Ok((row.try_get::<&str, _>(0)?.into(), bucket, number(row.try_get(2)?)))
    });
    buckets.collect()
}

/// Looks through all records in the order of time.
async fn walk(
    db: &mut SqliteConnection,
    query: &Query,
    limit: usize,
) -> Result<Vec<Record>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> =
        QueryBuilder::new(format!("SELECT {} FROM calls WHERE TRUE", row::COLUMNS));
    push_range(&mut select, query);
    push_filter(&mut select, query);
    push_order(&mut select, query.order, limit);
    fetch(db, select).await
}

/// Looks through the first records in the order of time, those that a query without filter gives.
async fn walk_recent(
    db: &mut SqliteConnection,
    query: &Query,
    limit: usize,
) -> Result<Vec<Record>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> = QueryBuilder::new(format!(
        "SELECT {} FROM calls NOT INDEXED WHERE seq IN (SELECT seq FROM calls WHERE TRUE",
        row::COLUMNS
    ));
    push_range(&mut select, query);
    push_order(&mut select, query.order, RECENT);
    select.push(")");
    push_filter(&mut select, query);
    push_order(&mut select, query.order, limit);
    fetch(db, select).await
}

/// Runs a query that selects the columns of records.
pub(crate) async fn fetch(
    db: &mut SqliteConnection,
    mut select: QueryBuilder<Sqlite>,
) -> Result<Vec<Record>, sqlx::Error> {
    let rows = select.build().fetch_all(db).await?;
    rows.iter().map(row::read).collect()
}

/// Returns the index that narrows a query down the most, when there is one.
fn index_for(query: &Query) -> Option<&'static str> {
    let indexes = [
        (&query.conversation_id, "calls_conversation"),
        (&query.task_id, "calls_task"),
        (&query.workflow_id, "calls_workflow"),
        (&query.user_id, "calls_user"),
        (&query.caller_id, "calls_caller"),
        (&query.tool_name, "calls_tool"),
    ];
    indexes.into_iter().find(|(value, _)| value.is_some()).map(|(_, index)| index)
}

/// Adds the conditions on who, what and how it went.
pub(crate) fn push_filter(select: &mut QueryBuilder<Sqlite>, query: &Query) {
    let texts = [
        (" AND conversation_id = ", &query.conversation_id),
        (" AND tool_name = ", &query.tool_name),
        (" AND caller_id = ", &query.caller_id),
        (" AND user_id = ", &query.user_id),
        (" AND workflow_id = ", &query.workflow_id),
        (" AND task_id = ", &query.task_id),
    ];
    for (condition, value) in texts {
        if let Some(value) = value {
            select.push(condition).push_bind(row::shared(value));
        }
    }
    // Not bound: the index of failures is used only where the query says that it is about them.
    select.push(match query.success {
        None => "",
        Some(true) => " AND is_success = 1",
        Some(false) => " AND is_success = 0",
    });
}

/// Adds the conditions on time, which are conditions on identifiers.
pub(crate) fn push_range(select: &mut QueryBuilder<Sqlite>, query: &Query) {
    let after = match query.order {
        Order::NewestFirst => " AND record_id < ",
        Order::OldestFirst => " AND record_id > ",
    };
    let bounds = [
        (after, query.cursor),
        (" AND record_id >= ", query.since.map(CallId::first_at)),
        (" AND record_id < ", query.until.map(CallId::first_at)),
    ];
    for (condition, id) in bounds {
        if let Some(id) = id {
            select.push(condition).push_bind(id.to_bytes().to_vec());
        }
    }
}

/// Adds the order and how many.
pub(crate) fn push_order(select: &mut QueryBuilder<Sqlite>, order: Order, limit: usize) {
    select.push(match order {
        Order::NewestFirst => " ORDER BY record_id DESC LIMIT ",
        Order::OldestFirst => " ORDER BY record_id LIMIT ",
    });
    select.push_bind(i64::try_from(limit).unwrap_or(i64::MAX));
}

/// Counts are never negative; a database that says otherwise is read as zero.
pub(crate) fn number(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default()
}
