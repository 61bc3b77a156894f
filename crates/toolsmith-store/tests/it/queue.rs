use std::time::Duration;

use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use toolsmith_core::{Receipt, RecordSink};
use toolsmith_store::{Durability, Health, Query, Store, StoreConfig};

use crate::support::{all, folder, open, push, record};

#[tokio::test]
async fn sync_answers_after_the_commit() {
    let folder = folder();
    let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(folder.path()) };
    let store = Store::open(config).await.unwrap();
    let receipts: Vec<Receipt> = (0..500).map(|millis| store.push(record(millis))).collect();
    assert!(receipts.iter().all(|receipt| !receipt.is_done()));
    for receipt in receipts {
        assert!(receipt.wait().await);
    }
    assert_eq!(store.metrics().written, 500);
    assert!(store.metrics().batches < 500, "records that meet share a commit");
    // Another store sees them without any flush of this one.
    assert_eq!(all(&open(folder.path()).await, Query::default()).await.len(), 500);
}

#[tokio::test]
async fn callers_wait_when_the_queue_is_full_and_nothing_is_lost() {
    let folder = folder();
    let config = StoreConfig { queue: 4, ..StoreConfig::at(folder.path()) };
    let store = Store::open(config).await.unwrap();
    let mut waited = 0;
    for millis in 0..1_000 {
        let receipt = store.push(record(millis));
        if !receipt.is_done() {
            waited += 1;
            assert!(receipt.wait().await);
        }
    }
    assert!(waited > 0);
    assert_eq!(store.metrics().waited, waited);
    store.flush().await;
    assert_eq!((store.metrics().written, store.metrics().lost), (1_000, 0));
}

#[tokio::test]
async fn a_duplicate_is_refused_and_the_others_of_its_batch_are_not() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    push(&store, [record(2), record(1), record(3), record(3), record(4)]).await;
    let found = all(&store, Query::default()).await;
    assert_eq!(found, [record(4), record(3), record(2), record(1)]);
    let metrics = store.metrics();
    assert_eq!((metrics.written, metrics.lost), (4, 2));
    assert_eq!(store.stats().await.unwrap().total_calls, 4);
    assert_eq!(store.health(), Health::Good);
}

#[tokio::test]
async fn whoever_waits_for_a_record_that_cannot_be_stored_hears_that_it_is_not_safe() {
    let folder = folder();
    let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(folder.path()) };
    let store = Store::open(config).await.unwrap();
    let receipts = [1, 2, 1, 3].map(|millis| store.push(record(millis)));
    let mut safe = Vec::new();
    for receipt in receipts {
        safe.push(receipt.wait().await);
    }
    assert_eq!(safe, [true, true, false, true]);
}

#[tokio::test]
async fn callers_wait_when_the_queue_is_full_of_bytes_and_nothing_is_lost() {
    let folder = folder();
    let config = StoreConfig { queue_bytes: 500, ..StoreConfig::at(folder.path()) };
    let store = Store::open(config).await.unwrap();
    push(&store, (0..1_000).map(record)).await;
    let metrics = store.metrics();
    assert!(metrics.waited > 0, "{metrics:?}");
    assert_eq!((metrics.written, metrics.lost), (1_000, 0));
}

#[tokio::test]
async fn the_writer_comes_by_itself_within_its_window() {
    let folder = folder();
    let window = Duration::from_millis(50);
    let store =
        Store::open(StoreConfig { window, ..StoreConfig::at(folder.path()) }).await.unwrap();
    assert!(store.push(record(1)).is_done());
    // Until the writer has come; a hang is caught by the limit of the test run.
    while store.metrics().queued > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.metrics().written, 1);
}

#[tokio::test]
async fn dropping_the_last_handle_writes_what_it_has() {
    let folder = folder();
    let store = open(folder.path()).await;
    let other = store.clone();
    drop(store);
    for millis in 0..5_000 {
        assert!(other.push(record(millis)).is_done());
    }
    drop(other);
    assert_eq!(
        all(&open(folder.path()).await, Query { limit: 10_000, ..Query::default() }).await.len(),
        5_000
    );
}

#[tokio::test]
async fn a_closed_store_answers_queries_and_refuses_calls() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    assert_eq!(store.close().await, Health::Good);
    assert_eq!(store.close().await, Health::Good, "closing twice is closing");
    assert!(store.ready().unwrap_err().message().contains("closed"));
    assert!(store.push(record(2)).is_done());
    assert_eq!(store.metrics().lost, 1);
    assert_eq!(all(&store, Query::default()).await, [record(1)]);
}

#[tokio::test]
async fn a_closed_sync_store_says_that_a_record_is_not_safe() {
    let folder = folder();
    let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(folder.path()) };
    let store = Store::open(config).await.unwrap();
    store.close().await;
    assert!(!store.push(record(1)).wait().await);
}

#[tokio::test]
async fn a_lock_of_another_program_is_waited_for_and_is_no_failure() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    let options = SqliteConnectOptions::new().filename(folder.path().join("toolsmith.db"));
    let mut other = options.connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    assert!(store.push(record(2)).is_done());
    // Long enough for the writer to meet the lock, and far shorter than its patience.
    let flushed = tokio::time::timeout(Duration::from_millis(200), store.flush()).await;
    assert!(flushed.is_err(), "nothing can be written while another program holds the lock");
    assert_eq!((store.health(), store.metrics().queued), (Health::Good, 1));
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    assert_eq!(store.flush().await, Health::Good);
    assert_eq!(store.metrics().written, 2);
}
