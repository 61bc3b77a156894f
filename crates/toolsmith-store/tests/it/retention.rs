use std::{fs, path::Path, sync::Arc, time::Duration};

use toolsmith_core::{Artifacts, Clock, JsonText, Record, Timestamp, json};
use toolsmith_store::{ArtifactQuery, Pruned, Query, Retention, Store, StoreConfig};

use crate::{
    artifacts::artifact,
    support::{START, all, assert_sound, folder, oldest_first, open, push, record},
};

#[derive(Debug)]
struct At(i64);

impl Clock for At {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(START + self.0)
    }
}

fn size(folder: &Path) -> u64 {
    let sizes = fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() { size(&entry.path()) } else { metadata.len() }
    });
    sizes.sum()
}

fn large(millis: i64) -> Record {
    Record { params: JsonText::of(&json!("x".repeat(2_000))), ..record(millis) }
}

#[tokio::test]
async fn records_that_are_too_old_go_with_their_artifacts() {
    let folder = folder();
    let clock = Arc::new(At(10_000));
    let config = StoreConfig { clock, ..StoreConfig::at(folder.path()) };
    let store = Store::open(config).await.unwrap();
    push(&store, (0..10).map(|second| record(second * 1_000))).await;
    for second in [0, 3, 4, 9] {
        store.keep(&artifact(second * 1_000, "text"), "text").await.unwrap();
    }
    let retention = Retention { max_age: Some(Duration::from_secs(6)), ..Retention::default() };
    let pruned = store.prune(retention).await.unwrap();
    assert_eq!((pruned.records, pruned.artifacts), (4, 2));
    let left = all(&store, oldest_first()).await;
    assert_eq!(left.first(), Some(&record(4_000)), "exactly six seconds old is not too old");
    assert_eq!(left.len(), 6);
    let kept = store.artifacts(ArtifactQuery::default()).await.unwrap().artifacts;
    assert_eq!(kept.len(), 2);
    assert_eq!(fs::read_dir(folder.path().join("artifacts")).unwrap().count(), 2);
    assert_eq!(store.prune(retention).await.unwrap(), Pruned::default(), "nothing more to do");
}

#[tokio::test]
async fn only_so_many_records_stay_and_statistics_remember_the_others() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, (0..3_000).map(record)).await;
    let retention = Retention { max_records: Some(1_234), ..Retention::default() };
    assert_eq!(store.prune(retention).await.unwrap().records, 1_766);
    let left = all(&store, oldest_first()).await;
    assert_eq!((left.len(), left.first()), (1_234, Some(&record(1_766))));
    assert_eq!(store.stats().await.unwrap().total_calls, 3_000);
    let none = Retention { max_records: Some(0), ..Retention::default() };
    assert_eq!(store.prune(none).await.unwrap().records, 1_234);
    assert_eq!(all(&store, Query::default()).await, []);
    push(&store, [record(9_999)]).await;
    assert_eq!(all(&store, Query::default()).await, [record(9_999)]);
    assert_sound(folder.path()).await;
}

#[tokio::test]
async fn the_folder_shrinks_to_the_size_that_is_allowed() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, (0..5_000).map(large)).await;
    for number in 0..10 {
        let content = "y".repeat(100_000);
        store.keep(&artifact(number, &content), &content).await.unwrap();
    }
    let limit = 4_000_000;
    let before = size(folder.path());
    let retention = Retention { max_bytes: Some(limit), ..Retention::default() };
    let pruned = store.prune(retention).await.unwrap();
    let (after, left) = (size(folder.path()), all(&store, oldest_first()).await);
    assert!(before > 10_000_000 && after < limit + 200_000, "{before} became {after}");
    assert!(pruned.records >= 3_000 && pruned.bytes > 6_000_000, "{pruned:?}");
    assert_eq!(pruned.artifacts, 10, "the artifacts belonged to the oldest records");
    assert!(left.len() > 500, "{} records are left", left.len());
    assert_eq!(left.last(), Some(&large(4_999)), "the newest stay");
    assert_sound(folder.path()).await;
}

#[tokio::test]
async fn files_without_a_row_are_pruned_too() {
    let folder = folder();
    let store = open(folder.path()).await;
    let orphan = folder.path().join("artifacts").join(artifact(1, "").id.to_string());
    fs::create_dir_all(orphan.parent().unwrap()).unwrap();
    fs::write(&orphan, "left behind by a process that died").unwrap();
    let retention = Retention { max_age: Some(Duration::from_mins(1)), ..Retention::default() };
    assert_eq!(store.prune(retention).await.unwrap().artifacts, 1);
    assert!(!orphan.exists());
}
