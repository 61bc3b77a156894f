//! Records for other programs: as JSON Lines and as CSV.

use std::{
    borrow::Cow,
    error::Error,
    io::{self, Write},
};

use toolsmith_core::{ErrorKind, JsonText, Record};

use crate::{Order, Query, Store, StoreError};

/// How many records are in memory at once.
const PAGE: u32 = 1_000;

/// The columns of the CSV form: the fields of a record.
const COLUMNS: [&str; 17] = [
    "record_id",
    "tool_name",
    "version",
    "params",
    "result",
    "execution_time",
    "is_success",
    "error",
    "error_type",
    "caller_id",
    "caller_type",
    "conversation_id",
    "workflow_id",
    "node_id",
    "task_id",
    "user_id",
    "created_at",
];

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line: a record as everywhere else.
    JsonLines,
    /// A header and one row a record, with `params` and `result` as JSON text.
    ///
    /// An absent value and an empty text are both an empty cell. Cells are exactly what was
    /// recorded, also where a spreadsheet would take a leading `=`, `+`, `-` or `@` for a formula:
    /// records hold text from outside, so import them as text.
    Csv,
}

impl Store {
    /// Writes the matching records out, the oldest first; returns how many.
    ///
    /// Of the query, `order`, `cursor` and `limit` do not matter. However many records there are,
    /// only a page of them is in memory.
    pub async fn export(
        &self,
        query: Query,
        format: Format,
        out: &mut (impl Write + Send),
    ) -> Result<u64, StoreError> {
        let mut sink = Sink::new(format, out).map_err(failed)?;
        let mut query = Query { order: Order::OldestFirst, cursor: None, limit: PAGE, ..query };
        let mut count = 0;
        loop {
            let page = self.records(query.clone()).await?;
            for record in &page.records {
                sink.write(record).map_err(failed)?;
            }
            count += page.records.len() as u64;
            match page.next {
                Some(next) => query.cursor = Some(next),
                None => break,
            }
        }
        sink.finish().map_err(failed)?;
        Ok(count)
    }
}

fn failed(error: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError::Export { source: Box::new(error) }
}

enum Sink<W: Write> {
    JsonLines(W),
    Csv(Box<csv::Writer<W>>),
}

impl<W: Write> Sink<W> {
    fn new(format: Format, out: W) -> Result<Self, io::Error> {
        match format {
            Format::JsonLines => Ok(Self::JsonLines(out)),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(COLUMNS)?;
                Ok(Self::Csv(Box::new(writer)))
            }
        }
    }

    fn write(&mut self, record: &Record) -> Result<(), io::Error> {
        match self {
            Self::JsonLines(out) => {
                let mut line = serde_json::to_vec(record)?;
                line.push(b'\n');
                out.write_all(&line)
            }
            Self::Csv(writer) => {
                writer.write_record(cells(record).iter().map(|cell| cell.as_bytes()))?;
                Ok(())
            }
        }
    }

    fn finish(&mut self) -> Result<(), io::Error> {
        match self {
            Self::JsonLines(out) => out.flush(),
            Self::Csv(writer) => writer.flush(),
        }
    }
}

/// Returns the cells of a record, in the order of [`COLUMNS`].
fn cells(record: &Record) -> [Cow<'_, str>; 17] {
    [
        record.record_id.to_string().into(),
        (&*record.tool_name).into(),
        record.version.as_deref().unwrap_or_default().into(),
        record.params.as_str().into(),
        record.result.as_ref().map(JsonText::as_str).unwrap_or_default().into(),
        record.execution_time.as_secs_f64().to_string().into(),
        record.is_success.to_string().into(),
        record.error.as_deref().unwrap_or_default().into(),
        record.error_type.map(ErrorKind::as_str).unwrap_or_default().into(),
        record.caller_id.as_deref().unwrap_or_default().into(),
        record.caller_type.as_str().into(),
        record.conversation_id.as_deref().unwrap_or_default().into(),
        record.workflow_id.as_deref().unwrap_or_default().into(),
        record.node_id.as_deref().unwrap_or_default().into(),
        record.task_id.as_deref().unwrap_or_default().into(),
        record.user_id.as_deref().unwrap_or_default().into(),
        record.created_at.to_string().into(),
    ]
}
