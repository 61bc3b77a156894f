//! Two processes write into one data folder at the same time.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use toolsmith_core::CallId;

use crate::kill::recorded;

fn writer(data: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_toolsmith-bench"))
        .args(["write-load", "--durability", "sync", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads the ids of that many calls that have returned, then ends the process.
fn returned(mut process: Child, calls: usize) -> Vec<CallId> {
    let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
    let ids = lines.filter_map(|line| line.split(' ').next()?.parse().ok());
    let ids: Vec<CallId> = ids.take(calls).collect();
    process.kill().unwrap();
    process.wait().unwrap();
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_on_one_folder_lose_nothing_and_break_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (writer(folder.path()), writer(folder.path()));
    let one = std::thread::spawn(move || returned(one, 1_000));
    let two = returned(two, 1_000);
    let one = one.join().unwrap();
    assert_eq!((one.len(), two.len()), (1_000, 1_000));
    let recorded: HashSet<CallId> = recorded(folder.path()).await;
    assert!(one.iter().chain(&two).all(|id| recorded.contains(id)));
}
