//! `toolsmith calls export`

use std::{
    io::{BufWriter, Write},
    path::Path,
};

use anyhow::Result;
use serde_json::{Map, json};
use toolsmith_store::{Format, Order, Query, Store};

use crate::{
    Session,
    args::ExportFormat,
    exit::UsageError,
    files,
    output::{Form, JsonList, Pipe, one_line},
    wording::counted,
};

/// How many records are in memory at once.
const PAGE: u32 = 1_000;

/// Writes the records out: to a file, or to standard output.
pub(super) async fn run(
    session: &Session,
    store: Option<&Store>,
    query: Query,
    (format, file): (ExportFormat, Option<&Path>),
) -> Result<()> {
    let file = file.filter(|file| *file != Path::new("-"));
    match (file, session.output.form, format) {
        (Some(file), ..) => to_file(session, store, query, (format, file)).await,
        (None, Form::People, _) => to_stdout(store, query, format).await,
        (None, Form::Json, ExportFormat::Jsonl) => as_document(store, query).await,
        (None, Form::Json, ExportFormat::Csv) => {
            let message = "CSV is not JSON: leave --json away, or write to a file with --output";
            Err(UsageError::new(message).into())
        }
    }
}

async fn to_file(
    session: &Session,
    store: Option<&Store>,
    query: Query,
    (format, path): (ExportFormat, &Path),
) -> Result<()> {
    let shown = one_line(&path.to_string_lossy());
    let mut out = BufWriter::new(files::create(path)?);
    let count = match store {
        Some(store) => store.export(query, format_of(format), &mut out).await?,
        None => 0,
    };
    out.flush()?;
    let name = path.to_string_lossy();
    session.output.show(&json!({ "exported": count, "file": name }), |_| {
        format!("wrote {} to {shown}\n", counted(count, "record"))
    })?;
    Ok(())
}

async fn to_stdout(store: Option<&Store>, query: Query, format: ExportFormat) -> Result<()> {
    let Some(store) = store else { return Ok(()) };
    let mut pipe = Pipe::to_stdout();
    match store.export(query, format_of(format), &mut pipe).await {
        Err(_) if pipe.has_reader_left() => Ok(()),
        result => Ok(result.map(drop)?),
    }
}

/// Prints all records as one JSON document.
async fn as_document(store: Option<&Store>, query: Query) -> Result<()> {
    let mut list = JsonList::new("calls");
    let mut query = Query { order: Order::OldestFirst, cursor: None, limit: PAGE, ..query };
    while let Some(store) = store
        && !list.has_reader_left()
    {
        let page = store.records(query.clone()).await?;
        page.records.iter().try_for_each(|record| list.push(record))?;
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    list.end(&Map::new())?;
    Ok(())
}

fn format_of(format: ExportFormat) -> Format {
    match format {
        ExportFormat::Jsonl => Format::JsonLines,
        ExportFormat::Csv => Format::Csv,
    }
}
