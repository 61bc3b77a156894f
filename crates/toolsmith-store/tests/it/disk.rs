//! Disks that are full or read-only: small file systems in memory, mounted for the test.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{Arc, mpsc},
    time::Duration,
};

use tempfile::TempDir;
use toolsmith_core::{ErrorKind, JsonText, Record, RecordSink, json};
use toolsmith_store::{Access, Durability, Health, Query, Store, StoreConfig, StoreError};
use toolsmith_testing::skip;

use crate::support::{all, assert_sound, folder, oldest_first, open, push, record};

/// How long a store may take to notice trouble or its end.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A small file system of its own, gone with the test.
pub(crate) struct Disk(TempDir);

impl Disk {
    /// Mounts one; says loudly when the machine does not let it.
    pub(crate) fn mount(size: &str) -> Option<Self> {
        let folder = folder();
        let options = format!("size={size}");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(folder)),
            other => {
                skip(&format!("a small disk cannot be mounted here: {other:?}"));
                None
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    fn remount(&self, mode: &str) {
        let options = format!("remount,{mode}");
        let begun = std::time::Instant::now();
        // A connection that is closing in its own thread keeps the disk busy for a moment.
        loop {
            let mut mount = Command::new("mount");
            let done = mount.args(["-o", &options]).arg(self.path()).output().unwrap();
            if done.status.success() {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{done:?}");
            std::thread::yield_now();
        }
    }

    /// Takes up all the space; returns what frees it again.
    pub(crate) fn fill(&self) -> impl Fn() {
        let filler = self.path().join("filler");
        let mut size = 1 << 20;
        let mut content = Vec::new();
        while size > 0 {
            content.extend(vec![0_u8; size]);
            if fs::write(&filler, &content).is_err() {
                content.truncate(content.len() - size);
                size /= 2;
            }
        }
        fs::write(&filler, &content).unwrap();
        move || fs::remove_file(&filler).unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a connection may still be closing.
        Command::new("umount").arg("-l").arg(self.path()).output().unwrap();
    }
}

/// Opens a store whose health is heard.
async fn listen(folder: &Path, durability: Durability) -> (Store, mpsc::Receiver<Health>) {
    let (heard, health) = mpsc::channel();
    let on_health = Arc::new(move |health| heard.send(health).unwrap_or_default());
    let config = StoreConfig {
        durability,
        unwritten_limit: 2_000,
        on_health: Some(on_health),
        ..StoreConfig::at(folder)
    };
    (Store::open(config).await.unwrap(), health)
}

/// Waits until the store says something of that kind.
fn hear(health: &mpsc::Receiver<Health>, is_meant: impl Fn(&Health) -> bool) -> Health {
    loop {
        let heard = health.recv_timeout(PATIENCE).unwrap();
        if is_meant(&heard) {
            return heard;
        }
    }
}

fn is_failing(health: &Health) -> bool {
    matches!(health, Health::Failing { .. })
}

pub(crate) fn large(millis: i64) -> Record {
    Record { params: JsonText::of(&json!("x".repeat(4_000))), ..record(millis) }
}

#[tokio::test]
async fn batched_answers_on_a_full_disk_and_catches_up_when_there_is_room() {
    let Some(disk) = Disk::mount("12m") else { return };
    let (store, health) = listen(disk.path(), Durability::Batched).await;
    push(&store, [large(0)]).await;
    let free = disk.fill();
    for millis in 1..=500 {
        assert!(store.push(large(millis)).is_done(), "a full disk makes nobody wait");
        assert!(store.ready().is_ok());
    }
    let Health::Failing { unwritten, lost, reason } = hear(&health, is_failing) else { return };
    assert!(unwritten > 0 && lost == 0, "{unwritten} {lost}");
    assert!(reason.contains("full") || reason.contains("input or output"), "{reason}");
    assert!(is_failing(&store.flush().await));
    assert_eq!(store.metrics().unwritten, store.metrics().queued);
    assert!(store.summary("one").await.is_ok(), "queries still work");

    free();
    hear(&health, |health| matches!(health, Health::Recovered { written } if *written > 0));
    assert_eq!(store.flush().await, Health::Good);
    assert_eq!(all(&store, oldest_first()).await.len(), 501);
    assert_eq!(store.stats().await.unwrap().total_calls, 501, "nothing is counted twice");
    store.close().await;
    assert_sound(disk.path()).await;
}

#[tokio::test]
async fn on_a_disk_that_stays_full_the_oldest_records_go_and_are_counted() {
    let Some(disk) = Disk::mount("12m") else { return };
    let (store, health) = listen(disk.path(), Durability::Batched).await;
    let free = disk.fill();
    for millis in 0..2_000 {
        assert!(store.push(large(millis)).is_done());
    }
    hear(&health, is_failing);
    for millis in 2_000..50_000 {
        assert!(store.push(record(millis)).is_done());
    }
    assert!(is_failing(&store.flush().await));
    let metrics = store.metrics();
    assert_eq!(metrics.lost + metrics.unwritten + metrics.written, 50_000, "{metrics:?}");
    assert!(metrics.unwritten <= 2_000, "{metrics:?}");
    hear(&health, |health| matches!(health, Health::Failing { lost, .. } if *lost > 0));
    free();
    hear(&health, |health| matches!(health, Health::Recovered { .. }));
    let left = all(&store, oldest_first()).await;
    assert_eq!(left.last(), Some(&record(49_999)), "the newest are kept");
    assert_eq!(left.len() as u64, store.metrics().written);
}

#[tokio::test]
async fn sync_refuses_calls_on_a_full_disk_and_accepts_them_again() {
    let Some(disk) = Disk::mount("12m") else { return };
    let (store, health) = listen(disk.path(), Durability::Sync).await;
    push(&store, [large(0)]).await;
    let free = disk.fill();
    let pending: Vec<_> = (1..=300).map(|millis| store.push(large(millis))).collect();
    hear(&health, is_failing);
    let error = store.ready().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rejected);
    assert!(error.message().starts_with("The record store cannot write ("), "{error}");
    free();
    for receipt in pending {
        // Those that were there before the disk was full are safe; all are there in the end.
        receipt.wait().await;
    }
    store.flush().await;
    assert!(store.ready().is_ok());
    assert!(store.push(large(301)).wait().await);
    assert_eq!(all(&store, oldest_first()).await.len(), 302);
}

#[tokio::test]
async fn sync_tells_who_waits_that_the_store_gave_up() {
    let Some(disk) = Disk::mount("12m") else { return };
    let (store, health) = listen(disk.path(), Durability::Sync).await;
    let _free = disk.fill();
    let pending: Vec<_> = (0..300).map(|millis| store.push(large(millis))).collect();
    hear(&health, is_failing);
    assert!(matches!(store.close().await, Health::Failing { lost, .. } if lost > 0));
    let mut unsafe_records = 0;
    for receipt in pending {
        unsafe_records += u64::from(!receipt.wait().await);
    }
    let lost = store.metrics().lost;
    assert!(unsafe_records >= lost, "{lost} are lost, but only {unsafe_records} heard of it");
}

#[tokio::test]
async fn records_are_read_from_a_read_only_folder() {
    let Some(disk) = Disk::mount("12m") else { return };
    let store = open(disk.path()).await;
    push(&store, (0..100).map(record)).await;
    store.close().await;
    drop(store);
    disk.remount("ro");
    let config = StoreConfig { access: Access::ReadOnly, ..StoreConfig::at(disk.path()) };
    let reader = Store::open(config).await.unwrap();
    assert_eq!(all(&reader, Query::default()).await.len(), 100);
    let error = Store::open(StoreConfig::at(disk.path())).await.unwrap_err();
    assert!(matches!(error, StoreError::CannotWrite { .. }), "{error}");
    assert!(error.to_string().contains("read-only"), "{error}");
}

#[tokio::test]
async fn a_read_only_folder_without_a_log_is_read_too() {
    let Some(disk) = Disk::mount("12m") else { return };
    let store = open(disk.path()).await;
    push(&store, (0..100).map(record)).await;
    store.close().await;
    drop(store);
    // The last one to close carries the log over and removes it. Threads of the SQL library close
    // when they get to it, so that may not have been ours.
    let log = disk.path().join("toolsmith.db-wal");
    let gone = async {
        while log.exists() {
            assert_sound(disk.path()).await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.unwrap();
    disk.remount("ro");
    let config = StoreConfig { access: Access::ReadOnly, ..StoreConfig::at(disk.path()) };
    let reader = Store::open(config).await.unwrap();
    assert_eq!(all(&reader, Query::default()).await.len(), 100);
}
