use std::time::Duration;

use serde_json::{Map, Value};
use toolsmith_core::{JsonText, Record, json};
use toolsmith_store::{Format, Query, Store};

use crate::support::{failed, folder, oldest_first, open, push, record};

/// Records with everything that a careless form would spoil.
fn awkward() -> Vec<Record> {
    let formula = Record {
        caller_id: Some("=cmd|' /C calc'!A0".into()),
        user_id: Some("+1".into()),
        task_id: Some("-2".into()),
        node_id: Some("@x".into()),
        ..record(1)
    };
    let text = Record {
        params: JsonText::of(&json!({"text": "a,b;\"c\"\r\nd\te\u{0}", "名": "值 🦀"})),
        error: Some("line 1\nline 2, \"quoted\"".to_owned()),
        conversation_id: Some(" spaces ".into()),
        ..failed(2)
    };
    let tiny = Record { execution_time: Duration::from_nanos(1), result: None, ..record(3) };
    let long = Record { execution_time: Duration::new(86_400, 123_456_789), ..record(4) };
    vec![formula, text, tiny, long]
}

async fn export(store: &Store, query: Query, format: Format) -> (u64, String) {
    let mut out = Vec::new();
    let count = store.export(query, format, &mut out).await.unwrap();
    (count, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn json_lines_read_back_are_the_records() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, awkward()).await;
    let (count, text) = export(&store, Query::default(), Format::JsonLines).await;
    let read: Vec<Record> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(count, 4);
    assert_eq!(read, awkward());
}

#[tokio::test]
async fn csv_read_back_is_the_records() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, awkward()).await;
    let (count, text) = export(&store, Query::default(), Format::Csv).await;
    assert_eq!(count, 4);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let read = reader.records().map(|row| from_cells(&headers, &row.unwrap()));
    assert_eq!(read.collect::<Vec<_>>(), awkward());
}

/// Reads a row of CSV: empty cells are absent, some cells are JSON, the rest is text.
fn from_cells(headers: &csv::StringRecord, row: &csv::StringRecord) -> Record {
    let cells = headers.iter().zip(row).map(|(name, cell)| {
        let value = match name {
            _ if cell.is_empty() => Value::Null,
            "params" | "execution_time" | "is_success" => serde_json::from_str(cell).unwrap(),
            _ => Value::String(cell.to_owned()),
        };
        (name.to_owned(), value)
    });
    let mut fields: Map<String, Value> = cells.collect();
    let result = fields.remove("result").and_then(|text| Some(JsonText::parse(text.as_str()?)));
    let read: Record = serde_json::from_value(Value::Object(fields)).unwrap();
    Record { result: result.transpose().unwrap(), ..read }
}

#[tokio::test]
async fn an_export_takes_all_pages_of_its_query_the_oldest_first() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(
        &store,
        (0..2_500).map(|millis| if millis % 5 == 0 { failed(millis) } else { record(millis) }),
    )
    .await;
    let query = Query { success: Some(true), limit: 1, ..Query::default() };
    let (count, text) = export(&store, query, Format::JsonLines).await;
    assert_eq!((count, text.lines().count()), (2_000, 2_000));
    let first: Record = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(first, record(1));
    let (_, csv) = export(&store, oldest_first(), Format::Csv).await;
    assert!(csv.starts_with("record_id,tool_name,version,params,result,execution_time,"));
}

#[tokio::test]
async fn a_receiver_that_fails_ends_the_export() {
    struct Broken;
    impl std::io::Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Err(std::io::Error::other("gone"))
        }
    }
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    for format in [Format::JsonLines, Format::Csv] {
        let error = store.export(Query::default(), format, &mut Broken).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot write the export");
    }
}
