use std::{fs, path::Path};

use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use toolsmith_core::RecordSink;
use toolsmith_store::{Access, Erase, Health, Query, Retention, Store, StoreConfig, StoreError};

use crate::support::{all, assert_sound, folder, open, push, record};

fn read_only(folder: &Path) -> StoreConfig {
    StoreConfig { access: Access::ReadOnly, ..StoreConfig::at(folder) }
}

/// Runs SQL of which the store knows nothing.
async fn meddle(folder: &Path, sql: &'static str) {
    let file = folder.join("toolsmith.db");
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let mut db = options.connect().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut db).await.unwrap();
    sqlx::Connection::close(db).await.unwrap();
}

#[tokio::test]
async fn records_survive_closing_and_opening() {
    let folder = folder();
    let inside = folder.path().join("made/when/missing");
    for round in 0..3 {
        let store = open(&inside).await;
        push(&store, [record(round)]).await;
        assert_eq!(store.close().await, Health::Good);
    }
    assert_eq!(all(&open(&inside).await, Query::default()).await.len(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn others_cannot_look_into_a_folder_that_the_store_made() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let made = folder.path().join("data");
    open(&made).await;
    assert_eq!(fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn a_newer_database_is_refused_with_both_versions() {
    let folder = folder();
    open(folder.path()).await.close().await;
    meddle(folder.path(), "PRAGMA user_version = 99").await;
    for config in [StoreConfig::at(folder.path()), read_only(folder.path())] {
        let message = Store::open(config).await.unwrap_err().to_string();
        assert!(message.contains("version 99") && message.contains("up to 2"), "{message}");
        assert!(message.contains("upgrade toolsmith"), "{message}");
    }
}

#[tokio::test]
async fn an_older_database_is_brought_up_to_date_with_its_records() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    store.close().await;
    meddle(folder.path(), "DROP TABLE keys; PRAGMA user_version = 1").await;
    let older = Store::open(read_only(folder.path())).await.unwrap_err();
    assert!(matches!(older, StoreError::Older { found: 1, .. }), "{older}");
    let store = open(folder.path()).await;
    assert_eq!(store.keys().await.unwrap(), []);
    assert_eq!(store.records(Query::default()).await.unwrap().records.len(), 1);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_and_left_alone() {
    let folder = folder();
    let file = folder.path().join("toolsmith.db");
    let content = "these are my notes, not a database ".repeat(100);
    fs::write(&file, &content).unwrap();
    for config in [StoreConfig::at(folder.path()), read_only(folder.path())] {
        let error = Store::open(config).await.unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
    }
    assert_eq!(fs::read_to_string(file).unwrap(), content);
}

#[tokio::test]
async fn a_database_of_another_program_is_left_alone() {
    let folder = folder();
    meddle(folder.path(), "CREATE TABLE photos (name TEXT)").await;
    let before = fs::read(folder.path().join("toolsmith.db")).unwrap();
    let error = Store::open(StoreConfig::at(folder.path())).await.unwrap_err();
    assert!(error.to_string().contains("`photos`"), "{error}");
    assert_eq!(fs::read(folder.path().join("toolsmith.db")).unwrap(), before);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = folder();
    fs::write(folder.path().join("file"), "").unwrap();
    let inside = folder.path().join("file/data");
    let error = Store::open(StoreConfig::at(&inside)).await.unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error}");
    assert!(error.to_string().contains(inside.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn reading_where_nothing_was_written_says_so_and_makes_nothing() {
    let folder = folder();
    let missing = folder.path().join("data");
    let error = Store::open(read_only(&missing)).await.unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert!(!missing.exists());
}

#[tokio::test]
async fn many_first_openings_at_once_all_succeed() {
    for _ in 0..10 {
        let folder = folder();
        let openings = (0..8).map(|number| {
            let path = folder.path().to_owned();
            tokio::spawn(async move {
                let store = open(&path).await;
                push(&store, [record(number)]).await;
                store.close().await
            })
        });
        for opening in openings.collect::<Vec<_>>() {
            assert_eq!(opening.await.unwrap(), Health::Good);
        }
        assert_eq!(all(&open(folder.path()).await, Query::default()).await.len(), 8);
    }
}

#[tokio::test]
async fn a_reader_sees_what_a_writer_writes_and_may_not_write_itself() {
    let folder = folder();
    let writer = open(folder.path()).await;
    let reader = Store::open(read_only(folder.path())).await.unwrap();
    push(&writer, [record(1)]).await;
    assert_eq!(all(&reader, Query::default()).await, [record(1)]);
    assert!(reader.ready().is_err());
    assert!(reader.push(record(2)).is_done());
    assert_eq!(reader.metrics().lost, 1);
    let error = reader.prune(Retention::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly), "{error}");
    let error = reader.erase(Erase::User("me".into())).await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly), "{error}");
    assert_eq!(all(&writer, Query::default()).await, [record(1)]);
}

#[tokio::test]
async fn a_damaged_database_is_noticed_and_named() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, (0..2_000).map(record)).await;
    store.close().await;
    meddle(folder.path(), "PRAGMA wal_checkpoint(TRUNCATE)").await;
    assert_sound(folder.path()).await;
    let file = folder.path().join("toolsmith.db");
    let mut content = fs::read(&file).unwrap();
    let size = content.len();
    content[8_192..size - 8_192].fill(0xab);
    fs::write(&file, content).unwrap();
    let error = match Store::open(StoreConfig::at(folder.path())).await {
        Ok(store) => store.records(Query::default()).await.unwrap_err(),
        Err(error) => error,
    };
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("toolsmith.db"), "{error}");
}

#[tokio::test]
async fn closing_twice_does_not_wait_for_a_writer_that_has_ended() {
    let folder = folder();
    let store = open(folder.path()).await;
    store.close().await;
    // Half of what a writer that does not end is given.
    let limit = std::time::Duration::from_secs(3);
    tokio::time::timeout(limit, store.close()).await.unwrap();
}
