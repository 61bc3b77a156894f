use std::path::PathBuf;

use toolsmith_core::{Record, RecordSink};
use toolsmith_store::{Health, Query, Store, StoreConfig};

use crate::support::{
    all, assert_sound, child, folder, folder_of_child, oldest_first, open, record,
};

const EACH: i64 = 20_000;

/// Pushes records with numbers that no other writer uses.
async fn write_many(store: Store, writer: i64) {
    for number in 0..EACH {
        let caller_id = Some(format!("writer-{writer}").into());
        store.push(Record { caller_id, ..record(number * 4 + writer) }).wait().await;
    }
    assert_eq!(store.flush().await, Health::Good);
}

async fn be_another_process(folder: PathBuf) {
    let store = Store::open(StoreConfig::at(folder)).await.unwrap();
    write_many(store.clone(), 0).await;
    assert_eq!(store.close().await, Health::Good);
}

#[tokio::test]
async fn two_processes_and_two_stores_of_one_process_write_without_loss() {
    if let Some(folder) = folder_of_child() {
        return be_another_process(folder).await;
    }
    let folder = folder();
    let this = "processes::two_processes_and_two_stores_of_one_process_write_without_loss";
    let mut other = child(this, folder.path()).spawn().unwrap();
    let (one, two) = (open(folder.path()).await, open(folder.path()).await);
    let first = tokio::spawn(write_many(one.clone(), 1));
    let second = tokio::spawn(write_many(two.clone(), 2));
    first.await.unwrap();
    second.await.unwrap();
    assert!(other.wait().unwrap().success());

    let each = usize::try_from(EACH).unwrap();
    assert_eq!(all(&one, Query { limit: 10_000, ..oldest_first() }).await.len(), 3 * each);
    let stats = one.stats().await.unwrap();
    assert_eq!(stats.total_calls, 3 * each as u64, "sums are added up across writers");
    for writer in 0..3 {
        let caller_id = Some(format!("writer-{writer}").into());
        let found = all(&two, Query { caller_id, limit: 10_000, ..oldest_first() }).await;
        assert_eq!(found.len(), each);
    }
    one.close().await;
    two.close().await;
    assert_sound(folder.path()).await;
}
