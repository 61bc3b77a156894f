//! What `sync` says while the store cannot write, whatever the reason, and afterwards.

use std::{path::Path, time::Duration};

use sqlx::{ConnectOptions, sqlite::SqliteConnectOptions};
use tokio::time::timeout;
use toolsmith_core::{ErrorKind, Receipt, Record, RecordSink};
use toolsmith_store::{Durability, Health, Store, StoreConfig};

use crate::{
    disk::{Disk, PATIENCE, large},
    support::{all, assert_sound, folder, oldest_first, push},
};

/// How many calls are in flight: more than the last free bytes of a disk could take.
const IN_FLIGHT: i64 = 300;

async fn open_sync(folder: &Path) -> Store {
    let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(folder) };
    Store::open(config).await.unwrap()
}

/// Makes calls while the store cannot write; nobody waits longer than it takes to find that out.
async fn push_in_trouble(store: &Store) {
    let in_flight: Vec<Receipt> = (1..=IN_FLIGHT).map(|at| store.push(large(at))).collect();
    let mut is_safe = true;
    for receipt in in_flight {
        is_safe = timeout(PATIENCE, receipt.wait()).await.unwrap();
    }
    assert!(!is_safe, "a record that is not on disk is not safe");
    assert_eq!(store.ready().unwrap_err().kind(), ErrorKind::Rejected);
    let later = store.push(large(IN_FLIGHT + 1));
    // Polled once: the answer is there already.
    assert_eq!(timeout(Duration::ZERO, later.wait()).await, Ok(false));
}

/// Finds everything that was pushed, and a store that keeps its promise.
async fn assert_over(store: &Store) {
    let flushed = timeout(PATIENCE, store.flush()).await;
    assert_eq!(flushed, Ok(Health::Good));
    assert!(store.ready().is_ok());
    assert!(timeout(PATIENCE, store.push(large(IN_FLIGHT + 2)).wait()).await.unwrap());
    let pushed: Vec<Record> = (0..=IN_FLIGHT + 2).map(large).collect();
    assert_eq!(all(store, oldest_first()).await, pushed);
    assert_eq!(store.metrics().lost, 0);
}

#[tokio::test]
async fn on_a_full_disk_sync_says_at_once_that_records_are_not_safe() {
    let Some(disk) = Disk::mount("12m") else { return };
    let store = open_sync(disk.path()).await;
    push(&store, [large(0)]).await;
    let free = disk.fill();
    push_in_trouble(&store).await;
    free();
    assert_over(&store).await;
    store.close().await;
    assert_sound(disk.path()).await;
}

#[tokio::test]
async fn a_database_that_stays_locked_makes_nobody_wait_for_ever() {
    let folder = folder();
    let store = open_sync(folder.path()).await;
    push(&store, [large(0)]).await;
    let options = SqliteConnectOptions::new().filename(folder.path().join("toolsmith.db"));
    let mut other = options.connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    push_in_trouble(&store).await;
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    assert_over(&store).await;
}
