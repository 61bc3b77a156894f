//! Segments: runs of records that lie together, and the search through them.
//!
//! A segment knows the first and the last identifier that it holds. A long call is written late,
//! so the ranges of neighbours overlap; a search goes through the segments by these ranges and
//! stops when no other one can hold anything that comes earlier than what it has found.

use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection, query};
use toolsmith_core::{CallId, Record};

use super::{row, select};
use crate::{Order, Query};

/// A segment has two to the power of this many records. The schema and the queries say the same
/// as `seq >> 14`.
const SEGMENT_BITS: u32 = 14;

/// Lets a query over all segments use an index that begins with the segment.
///
/// The plus takes the type off the column: an index over an expression has none, and would not be
/// compared with a typed column.
pub(crate) const IN_ANY: &str = "seq >> 14 IN (SELECT +segment FROM segments)";

/// How many segments a search looks into at once: few first, since the newest often suffice.
const FIRST_WINDOW: usize = 1;
const WINDOW_GROWTH: usize = 4;
const LARGEST_WINDOW: usize = 256;

/// What is known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Zone {
    pub(crate) segment: i64,
    pub(crate) first: CallId,
    pub(crate) last: CallId,
}

/// Returns the zones that records with consecutive numbers fall into; `last` is the last number.
pub(crate) fn zones_of(records: &[&Record], last: i64) -> Vec<Zone> {
    let mut zones: Vec<Zone> = Vec::new();
    for (back, record) in records.iter().rev().enumerate() {
        let number = last.saturating_sub(i64::try_from(back).unwrap_or(i64::MAX));
        let (segment, id) = (number >> SEGMENT_BITS, record.record_id);
        match zones.last_mut() {
            Some(zone) if zone.segment == segment => {
                zone.first = zone.first.min(id);
                zone.last = zone.last.max(id);
            }
            _ => zones.push(Zone { segment, first: id, last: id }),
        }
    }
    zones
}

/// Reads up to `limit` records through an index.
pub(crate) async fn search(
    db: &mut SqliteConnection,
    query: &Query,
    index: &'static str,
    limit: usize,
) -> Result<Vec<Record>, sqlx::Error> {
    let zones = zones_for(db, query).await?;
    let mut rest = zones.as_slice();
    let mut found: Vec<Record> = Vec::new();
    let mut width = FIRST_WINDOW;
    while let Some(next) = rest.first() {
        if let Some(worst) = found.get(limit.saturating_sub(1))
            && !can_come_before(next, worst.record_id, query.order)
        {
            break;
        }
        let (window, others) = rest.split_at(width.min(rest.len()));
        found.extend(in_window(db, query, index, window, limit).await?);
        found.sort_unstable_by_key(|record| record.record_id);
        if query.order == Order::NewestFirst {
            found.reverse();
        }
        found.truncate(limit);
        rest = others;
        width = (width * WINDOW_GROWTH).min(LARGEST_WINDOW);
    }
    Ok(found)
}

/// Reads the zones that can hold what a query looks for, in the order to look into them.
async fn zones_for(db: &mut SqliteConnection, query: &Query) -> Result<Vec<Zone>, sqlx::Error> {
    let select = self::query("SELECT segment, first_id, last_id FROM segments");
    let rows = select.fetch_all(db).await?;
    let mut zones = Vec::with_capacity(rows.len());
    for row in &rows {
        let zone = Zone {
            segment: row.try_get(0)?,
            first: row::call_id(row, 1)?,
            last: row::call_id(row, 2)?,
        };
        if is_in_range(&zone, query) {
            zones.push(zone);
        }
    }
    match query.order {
        Order::NewestFirst => zones.sort_unstable_by_key(|zone| std::cmp::Reverse(zone.last)),
        Order::OldestFirst => zones.sort_unstable_by_key(|zone| zone.first),
    }
    Ok(zones)
}

fn is_in_range(zone: &Zone, query: &Query) -> bool {
    let is_late_enough = query.since.is_none_or(|since| zone.last >= CallId::first_at(since));
    let is_early_enough = query.until.is_none_or(|until| zone.first < CallId::first_at(until));
    let is_after_cursor = query.cursor.is_none_or(|cursor| match query.order {
        Order::NewestFirst => zone.first < cursor,
        Order::OldestFirst => zone.last > cursor,
    });
    is_late_enough && is_early_enough && is_after_cursor
}

fn can_come_before(zone: &Zone, id: CallId, order: Order) -> bool {
    match order {
        Order::NewestFirst => zone.last > id,
        Order::OldestFirst => zone.first < id,
    }
}

async fn in_window(
    db: &mut SqliteConnection,
    query: &Query,
    index: &'static str,
    window: &[Zone],
    limit: usize,
) -> Result<Vec<Record>, sqlx::Error> {
    let mut select: QueryBuilder<Sqlite> = QueryBuilder::new(format!(
        "SELECT {} FROM calls NOT INDEXED WHERE seq IN \
         (SELECT seq FROM calls INDEXED BY {index} WHERE seq >> 14 IN (",
        row::COLUMNS
    ));
    let mut segments = select.separated(", ");
    for zone in window {
        segments.push_bind(zone.segment);
    }
    select.push(")");
    select::push_range(&mut select, query);
    select::push_filter(&mut select, query);
    select::push_order(&mut select, query.order, limit);
    select.push(")");
    select::fetch(db, select).await
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, query_as};

    use super::*;
    use crate::{
        Durability,
        sqlite::{connect, schema},
    };

    #[test]
    fn the_schema_cuts_segments_as_the_queries_do() {
        let expression = format!("seq >> {SEGMENT_BITS},");
        assert_eq!(schema::V1.matches(&expression).count(), 6);
    }

    #[tokio::test]
    async fn queries_find_their_way_by_the_indexes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("toolsmith.db");
        let mut db = connect::writer(&file, Durability::Batched).await.unwrap();
        let ordered = "ORDER BY record_id DESC LIMIT 5";
        for (condition, way) in [
            (format!("{IN_ANY} AND caller_id = ?"), "calls_caller (<expr>=? AND caller_id=?)"),
            (format!("seq >> 14 IN (?, ?) AND task_id = ? {ordered}"), "calls_task (<expr>=?"),
            (format!("record_id < ? {ordered}"), "calls_record (record_id<?)"),
            (format!("is_success = 0 AND record_id < ? {ordered}"), "calls_failed (record_id<?)"),
        ] {
            let explain = format!("EXPLAIN QUERY PLAN SELECT * FROM calls WHERE {condition}");
            let plan: Vec<(i64, i64, i64, String)> =
                query_as(AssertSqlSafe(explain)).fetch_all(&mut db).await.unwrap();
            let steps: Vec<String> = plan.into_iter().map(|(_, _, _, step)| step).collect();
            let search = steps.iter().any(|step| step.starts_with("SEARCH") && step.contains(way));
            assert!(search, "{condition}: {steps:?}");
        }
    }
}
