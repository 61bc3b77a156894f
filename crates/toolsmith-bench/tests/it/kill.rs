//! The process is killed in the middle of a write load, again and again.

use std::{
    collections::HashSet,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use toolsmith_core::CallId;
use toolsmith_store::{Query, Store, StoreConfig};

/// How often each kind of store is killed.
const KILLS: usize = 20;

/// What a call told before the process was killed: its id, and when it returned.
struct Returned {
    id: CallId,
    at_micros: i64,
}

/// Writes until killed; returns what had returned, and the moment of the kill.
fn write_and_kill(data: &Path, durability: &str, after: Duration) -> (Vec<Returned>, i64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolsmith-bench"))
        .args(["write-load", "--data"])
        .arg(data)
        .args(["--durability", durability])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    // The pipe is read all the time, or the writer would wait for us instead of its store.
    let reader = std::thread::spawn(move || {
        let mut said = String::new();
        out.read_to_string(&mut said).ok();
        said
    });
    std::thread::sleep(after);
    let killed_at = now_micros();
    child.kill().unwrap();
    child.wait().unwrap();
    let said = reader.join().unwrap();
    // The last line may be cut in the middle.
    let whole = &said[..said.rfind('\n').map_or(0, |end| end + 1)];
    let returned = whole.lines().filter_map(|line| {
        let (id, at) = line.split_once(' ')?;
        Some(Returned { id: id.parse().ok()?, at_micros: at.parse().ok()? })
    });
    (returned.collect(), killed_at)
}

#[expect(clippy::disallowed_methods, reason = "compared with what another process read there")]
fn now_micros() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_micros()).unwrap()
}

pub(crate) async fn recorded(data: &Path) -> HashSet<CallId> {
    let store = Store::open(StoreConfig::at(data)).await.expect("the database opens after a kill");
    let mut ids = HashSet::new();
    let mut query = Query { limit: 10_000, ..Query::default() };
    loop {
        let page = store.records(query.clone()).await.unwrap();
        ids.extend(page.records.iter().map(|record| record.record_id));
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => break,
        }
    }
    store.close().await;
    ids
}

/// Kills a load that often; returns how many calls had returned, and the oldest lost one's age.
async fn kill_often(durability: &str) -> (usize, Option<Duration>) {
    let folder = tempfile::tempdir().unwrap();
    let (mut all, mut oldest_lost) = (0, None);
    let mut must_be_there: HashSet<CallId> = HashSet::new();
    for round in 0..KILLS {
        let after = Duration::from_millis(60 + 17 * u64::try_from(round).unwrap());
        let (returned, killed_at) = write_and_kill(folder.path(), durability, after);
        let recorded = recorded(folder.path()).await;
        all += returned.len();
        for call in returned {
            if recorded.contains(&call.id) {
                must_be_there.insert(call.id);
                continue;
            }
            let age = u64::try_from((killed_at - call.at_micros).max(0)).unwrap();
            oldest_lost = oldest_lost.max(Some(Duration::from_micros(age)));
        }
        assert!(must_be_there.is_subset(&recorded), "what was there once stays there");
    }
    (all, oldest_lost)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_sync_store_has_lost_nothing_that_had_returned() {
    let (returned, lost) = kill_often("sync").await;
    println!("sync: {returned} calls had returned, {KILLS} kills, lost: {lost:?}");
    assert!(returned > 100, "the load was no load: {returned}");
    assert_eq!(lost, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_batched_store_has_lost_no_more_than_its_window() {
    let (returned, lost) = kill_often("batched").await;
    println!("batched: {returned} calls had returned, {KILLS} kills, oldest lost: {lost:?}");
    assert!(returned > 1_000, "the load was no load: {returned}");
    // The window is 50 ms; a machine that runs other tests beside may hold the writer up.
    assert!(lost.is_none_or(|age| age < Duration::from_millis(500)), "{lost:?}");
}
