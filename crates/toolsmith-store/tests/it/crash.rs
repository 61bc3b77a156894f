use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

use toolsmith_core::{CallId, RecordSink};
use toolsmith_store::{Durability, Store, StoreConfig};

use crate::support::{assert_sound, child, folder, folder_of_child, open, record};

/// Pushes records until it is killed, and says of each when it is safe.
async fn push_until_killed(folder: PathBuf, durability: Durability) {
    let config = StoreConfig { durability, ..StoreConfig::at(folder) };
    let store = Store::open(config).await.unwrap();
    for number in 0.. {
        let pushed = record(number);
        let id = pushed.record_id;
        assert!(store.push(pushed).wait().await);
        // In `batched` the writer has to come by itself: nobody asks it to.
        while durability == Durability::Batched && store.metrics().queued > 0 {
            tokio::task::yield_now().await;
        }
        println!("safe {id}");
    }
}

/// Kills a process in the middle of its pushing; returns what it had called safe.
fn killed_after(count: usize, test: &str, folder: &Path) -> Vec<CallId> {
    let mut process = child(test, folder).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = |line: String| line.strip_prefix("safe ").and_then(|id| id.parse().ok());
    let mut said = lines.filter_map(said);
    let mut safe: Vec<CallId> = said.by_ref().take(count).collect();
    process.kill().unwrap();
    process.wait().unwrap();
    safe.extend(said);
    assert!(safe.len() >= count);
    safe
}

async fn assert_all_there(folder: &Path, safe: Vec<CallId>) {
    let store = open(folder).await;
    for id in safe {
        assert!(store.record(id).await.unwrap().is_some(), "{id} is lost");
    }
    store.close().await;
    assert_sound(folder).await;
}

#[tokio::test]
async fn a_killed_process_has_lost_nothing_that_sync_called_safe() {
    if let Some(folder) = folder_of_child() {
        return push_until_killed(folder, Durability::Sync).await;
    }
    let folder = folder();
    let this = "crash::a_killed_process_has_lost_nothing_that_sync_called_safe";
    assert_all_there(folder.path(), killed_after(200, this, folder.path())).await;
}

#[tokio::test]
async fn a_killed_process_has_lost_no_more_than_the_window_of_batched() {
    if let Some(folder) = folder_of_child() {
        return push_until_killed(folder, Durability::Batched).await;
    }
    let folder = folder();
    let this = "crash::a_killed_process_has_lost_no_more_than_the_window_of_batched";
    assert_all_there(folder.path(), killed_after(20, this, folder.path())).await;
}
