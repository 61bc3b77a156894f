//! Records to push, folders to open, and children to run.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use toolsmith_core::{CallId, CallerType, JsonText, Record, RecordSink, Timestamp, json};
use toolsmith_store::{Order, Query, Store, StoreConfig};

/// When the first record of a test was made.
pub(crate) const START: i64 = 1_763_000_000_000;

/// Tells a child which folder to write to.
const FOLDER: &str = "TOOLSMITH_STORE_TEST_FOLDER";

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub(crate) async fn open(folder: &Path) -> Store {
    Store::open(StoreConfig::at(folder)).await.unwrap()
}

/// Returns the record of a successful call that began that many milliseconds after the start.
pub(crate) fn record(millis: i64) -> Record {
    let created_at = Timestamp::from_millis(START + millis);
    Record {
        record_id: CallId::from_parts(created_at, millis.unsigned_abs()),
        tool_name: "echo".into(),
        version: Some("1.0.0".into()),
        params: JsonText::of(&json!({ "message": format!("number {millis}") })),
        result: Some(JsonText::of(&json!({ "message": format!("number {millis}") }))),
        execution_time: Duration::from_micros(1_500),
        is_success: true,
        error: None,
        error_type: None,
        caller_id: None,
        caller_type: CallerType::Direct,
        conversation_id: None,
        workflow_id: None,
        node_id: None,
        task_id: None,
        user_id: None,
        created_at,
    }
}

/// Returns the record of a call that failed.
pub(crate) fn failed(millis: i64) -> Record {
    Record {
        result: None,
        is_success: false,
        error: Some("It did not work; try again.".to_owned()),
        error_type: Some(toolsmith_core::ErrorKind::UpstreamError),
        ..record(millis)
    }
}

/// Pushes records and waits for their receipts.
pub(crate) async fn push(store: &Store, records: impl IntoIterator<Item = Record>) {
    for record in records {
        assert!(store.push(record).wait().await);
    }
    store.flush().await;
}

/// Reads every record of a query, page by page.
pub(crate) async fn all(store: &Store, query: Query) -> Vec<Record> {
    let mut query = query;
    let mut records = Vec::new();
    loop {
        let page = store.records(query.clone()).await.unwrap();
        assert!(page.records.len() <= query.limit as usize);
        records.extend(page.records);
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return records,
        }
    }
}

pub(crate) fn oldest_first() -> Query {
    Query { order: Order::OldestFirst, limit: 1_000, ..Query::default() }
}

/// Returns the folder to write to, in a process that [`child`] started.
pub(crate) fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Prepares to run one test of this binary as a process of its own.
pub(crate) fn child(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// Asks SQLite itself whether a database is sound.
pub(crate) async fn assert_sound(folder: &Path) {
    use sqlx::{ConnectOptions, Row};

    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(folder.join("toolsmith.db"));
    let mut db = options.connect().await.unwrap();
    let row = sqlx::query("PRAGMA integrity_check").fetch_one(&mut db).await.unwrap();
    assert_eq!(row.get::<String, _>(0), "ok");
}
