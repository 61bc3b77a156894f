//! A record as a row, and back.

use std::{sync::Arc, time::Duration};

use sqlx::{
    Arguments, Row,
    error::BoxDynError,
    sqlite::{SqliteArguments, SqliteRow},
};
use toolsmith_core::{CallId, CallerType, ErrorKind, JsonText, Record, Text, Timestamp};

/// The columns of a record, in the order in which they are written and read.
pub(crate) const COLUMNS: &str = "record_id, tool_name, version, params, result, execution_time, \
     is_success, error, error_type, caller_id, caller_type, conversation_id, workflow_id, node_id, \
     task_id, user_id, created_at";

/// How many columns there are.
pub(crate) const WIDTH: usize = 17;

/// The texts of the last record that the next one is likely to have too.
///
/// Most records of a batch are of few tools and few callers: what they share is copied once.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    tool_name: Option<Arc<str>>,
    version: Option<Arc<str>>,
    caller_id: Option<Arc<str>>,
    caller_type: Option<Arc<str>>,
}

/// Returns a text in the form of [`shared`]; the last one, when it is the same.
fn again(last: &mut Option<Arc<str>>, text: &str) -> Arc<str> {
    match last {
        Some(last) if **last == *text => Arc::clone(last),
        _ => Arc::clone(last.insert(shared(text))),
    }
}

/// Adds the values of a record to the arguments of a statement.
pub(crate) fn bind(
    arguments: &mut SqliteArguments,
    record: &Record,
    repeated: &mut Repeated,
) -> Result<(), BoxDynError> {
    arguments.add(record.record_id.to_bytes().as_slice())?;
    arguments.add(again(&mut repeated.tool_name, &record.tool_name))?;
    arguments.add(record.version.as_deref().map(|text| again(&mut repeated.version, text)))?;
    arguments.add(shared(record.params.as_str()))?;
    arguments.add(record.result.as_ref().map(|result| shared(result.as_str())))?;
    arguments.add(to_nanos(record.execution_time))?;
    arguments.add(record.is_success)?;
    arguments.add(record.error.as_deref().map(shared))?;
    arguments.add(record.error_type.map(|kind| shared(kind.as_str())))?;
    arguments.add(record.caller_id.as_deref().map(|text| again(&mut repeated.caller_id, text)))?;
    arguments.add(again(&mut repeated.caller_type, record.caller_type.as_str()))?;
    arguments.add(record.conversation_id.as_deref().map(shared))?;
    arguments.add(record.workflow_id.as_deref().map(shared))?;
    arguments.add(record.node_id.as_deref().map(shared))?;
    arguments.add(record.task_id.as_deref().map(shared))?;
    arguments.add(record.user_id.as_deref().map(shared))?;
    arguments.add(record.created_at.as_millis())
}

/// Returns text in the form that the database's thread takes without a second copy.
pub(crate) fn shared(text: &str) -> Arc<str> {
    Arc::from(text)
}

/// Reads a row with the columns of [`COLUMNS`].
pub(crate) fn read(row: &SqliteRow) -> Result<Record, sqlx::Error> {
    let error_type: Option<&str> = row.try_get(8)?;
    let caller_type: &str = row.try_get(10)?;
    Ok(Record {
        record_id: call_id(row, 0)?,
        tool_name: row.try_get::<&str, _>(1)?.into(),
        version: text(row, 2)?,
        params: JsonText::from_trusted(row.try_get(3)?),
        result: row.try_get::<Option<String>, _>(4)?.map(JsonText::from_trusted),
        execution_time: Duration::from_nanos(row.try_get::<i64, _>(5)?.unsigned_abs()),
        is_success: row.try_get(6)?,
        error: row.try_get(7)?,
        error_type: error_type.and_then(ErrorKind::from_name),
        caller_id: text(row, 9)?,
        caller_type: CallerType::from_name(caller_type).unwrap_or_default(),
        conversation_id: text(row, 11)?,
        workflow_id: text(row, 12)?,
        node_id: text(row, 13)?,
        task_id: text(row, 14)?,
        user_id: text(row, 15)?,
        created_at: Timestamp::from_millis(row.try_get(16)?),
    })
}

/// Reads a column that holds an identifier.
pub(crate) fn call_id(row: &SqliteRow, column: usize) -> Result<CallId, sqlx::Error> {
    let bytes: &[u8] = row.try_get(column)?;
    let bytes = bytes.try_into().map_err(|_| sqlx::Error::ColumnDecode {
        index: column.to_string(),
        source: format!("an identifier has 16 bytes, not {}", bytes.len()).into(),
    })?;
    Ok(CallId::from_bytes(bytes))
}

/// Reads a column that may hold text.
pub(crate) fn text(row: &SqliteRow, column: usize) -> Result<Option<Text>, sqlx::Error> {
    Ok(row.try_get::<Option<&str>, _>(column)?.map(Text::from))
}

/// Returns whole nanoseconds; what is longer than 292 years is that long.
fn to_nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}
