use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
};

use toolsmith_core::{CallId, RecordSink};
use toolsmith_store::{Durability, Store, StoreConfig};

use crate::support::{FOLDER, assert_sound, child, folder, open, record};

#[tokio::test]
#[ignore = "run as a child by another test"]
async fn child_that_says_which_records_are_safe() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(folder) };
    let store = Store::open(config).await.unwrap();
    for number in 0.. {
        let pushed = record(number);
        let id = pushed.record_id;
        assert!(store.push(pushed).wait().await);
        println!("safe {id}");
    }
}

#[tokio::test]
async fn a_killed_process_has_lost_nothing_that_sync_called_safe() {
    let folder = folder();
    let mut process =
        child("crash::child_that_says_which_records_are_safe", folder.path()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = |line: String| line.strip_prefix("safe ").map(|id| id.parse::<CallId>().unwrap());
    let mut lines = lines.filter_map(said);
    let mut safe: Vec<CallId> = lines.by_ref().take(200).collect();
    process.kill().unwrap();
    process.wait().unwrap();
    safe.extend(lines);
    assert!(safe.len() >= 200);
    let store = open(folder.path()).await;
    for id in safe {
        assert!(store.record(id).await.unwrap().is_some(), "{id} is lost");
    }
    store.close().await;
    assert_sound(folder.path()).await;
}

#[tokio::test]
#[ignore = "run as a child by another test"]
async fn child_that_pushes_and_waits_a_window() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let store = Store::open(StoreConfig::at(folder)).await.unwrap();
    for number in 0.. {
        let pushed = record(number);
        let id = pushed.record_id;
        assert!(store.push(pushed).is_done());
        // Not a flush: the writer has to come by itself.
        while store.metrics().queued > 0 {
            tokio::task::yield_now().await;
        }
        println!("safe {id}");
    }
}

#[tokio::test]
async fn a_killed_process_has_lost_no_more_than_the_window_of_batched() {
    let folder = folder();
    let mut process =
        child("crash::child_that_pushes_and_waits_a_window", folder.path()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said = |line: String| line.strip_prefix("safe ").map(|id| id.parse::<CallId>().unwrap());
    let mut lines = lines.filter_map(said);
    let mut safe: Vec<CallId> = lines.by_ref().take(20).collect();
    process.kill().unwrap();
    process.wait().unwrap();
    safe.extend(lines);
    let store = open(folder.path()).await;
    for id in safe {
        assert!(store.record(id).await.unwrap().is_some(), "{id} is lost");
    }
}
