//! However a call ends, its whole tree ends with it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toolsmith_children::{Children, Command, Exchange, Exit};

use crate::support::{BOUND, eventually, has_ended, parent, pids, run, sh, state, zombies};

/// Runs a script until it has reported its processes, then drops the call.
async fn drop_after_start(script: &str, count: usize) -> (Vec<i32>, Children) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids");
    let script = script.replace("FILE", file.to_str().unwrap());
    let children = Children::new();
    let found = tokio::select! {
        finished = children.run(sh(&script), Exchange::feeding("")) => {
            panic!("it ended by itself: {finished:?}")
        }
        found = pids(&file, count) => found,
    };
    (found, children)
}

async fn all_end(pids: &[i32]) {
    eventually("the whole tree has ended", || pids.iter().all(|pid| has_ended(*pid))).await;
}

#[tokio::test]
async fn dropping_the_call_ends_children_and_grandchildren() {
    let script =
        "echo $$ >> FILE; sh -c 'echo $$ >> FILE; sleep 100 & echo $! >> FILE; wait' & wait";
    let (pids, _children) = drop_after_start(script, 3).await;
    all_end(&pids).await;
    eventually("the child is reaped", || state(pids[0]).is_none()).await;
}

#[tokio::test]
async fn those_that_ignore_the_request_are_killed() {
    let script = "trap '' TERM; echo $$ >> FILE; sh -c 'trap \"\" TERM; echo $$ >> FILE; \
                  while :; do sleep 0.1; done' & while :; do sleep 0.1; done";
    let started = Instant::now();
    let (pids, _children) = drop_after_start(script, 2).await;
    all_end(&pids).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_polite_child_may_tidy_up_and_say_goodbye() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("tidied");
    let script = format!(
        "trap 'echo bye; echo bye >&2; echo yes > {}; exit' TERM; echo $$ >> FILE; \
         while :; do sleep 0.02; done",
        note.display()
    );
    let (pids, _children) = drop_after_start(&script, 1).await;
    all_end(&pids).await;
    assert_eq!(std::fs::read_to_string(note).unwrap(), "yes\n");
}

#[tokio::test]
async fn daemons_that_left_group_and_session_end_too() {
    let script = "setsid sh -c 'echo $$ >> FILE; sleep 100 & echo $! >> FILE; wait' \
                  >/dev/null 2>&1 </dev/null & echo $$ >> FILE; sleep 100";
    let (pids, _children) = drop_after_start(script, 3).await;
    all_end(&pids).await;
}

#[tokio::test]
async fn those_without_the_mark_are_found_by_their_parents() {
    let script = "env -i setsid sh -c 'echo $$ >> FILE; sleep 100 & echo $! >> FILE; wait' \
                  & echo $$ >> FILE; sleep 100";
    let (pids, _children) = drop_after_start(script, 3).await;
    all_end(&pids).await;
}

#[tokio::test]
async fn those_without_mark_session_and_parent_are_found_by_their_guard() {
    let script = "(env -i setsid sh -c 'trap \"\" TERM; echo $$ >> FILE; \
                  while :; do sleep 0.1; done' &); echo $$ >> FILE; sleep 100";
    let (pids, _children) = drop_after_start(script, 2).await;
    all_end(&pids).await;
}

#[tokio::test]
async fn another_keeper_takes_the_place_of_one_that_was_killed() {
    let children = Children::new();
    let mut held = children.spawn(sh("read line; exit 6")).await.unwrap();
    let guard = parent(held.pid().cast_signed());
    let keeper = parent(guard);
    assert_eq!(parent(keeper), std::process::id().cast_signed());
    std::process::Command::new("kill").args(["-9", &keeper.to_string()]).status().unwrap();
    eventually("the keeper is gone", || has_ended(keeper)).await;
    let finished = children.run(sh("echo next"), Exchange::feeding("")).await.unwrap();
    assert_eq!(finished.stdout, b"next\n");
    held.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
    assert_eq!(held.exited().await, Exit::Code(6));
}

#[tokio::test]
async fn a_guard_serves_one_child_after_the_other() {
    let children = Children::new();
    let mut guards = Vec::new();
    for script in ["echo $PPID", "exit 3", "kill -9 $$", "nosuchprogram; echo $PPID"] {
        let finished = children.run(sh(script), Exchange::feeding("")).await.unwrap();
        guards.extend(String::from_utf8(finished.stdout).unwrap().trim().parse::<i32>().ok());
    }
    assert!(guards.len() == 2 && guards[0] == guards[1], "{guards:?}");
    let broken = Command::new("/nowhere", Path::new("/"));
    children.run(broken, Exchange::feeding("")).await.unwrap_err();
    let child = children.spawn(sh("sleep 100")).await.unwrap();
    assert_eq!(parent(child.pid().cast_signed()), guards[0], "a failed start is no reason to go");
}

#[tokio::test]
async fn a_guard_stays_with_the_daemon_that_a_child_left() {
    let children = Children::new();
    let script = "setsid sleep 100 >/dev/null 2>&1 </dev/null & echo $PPID $!; sleep 0.2";
    let finished = children.run(sh(script), Exchange::feeding("")).await.unwrap();
    let text = String::from_utf8(finished.stdout).unwrap();
    let numbers: Vec<i32> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [guard, daemon] = numbers[..] else { panic!("{text}") };
    for _ in 0..5 {
        let next = children.run(sh("echo $PPID"), Exchange::feeding("")).await.unwrap();
        assert_ne!(String::from_utf8(next.stdout).unwrap().trim(), guard.to_string());
    }
    assert!(!has_ended(daemon) && parent(daemon) == guard);
    drop(children);
    all_end(&[daemon]).await;
}

#[tokio::test]
async fn those_whose_guard_was_killed_end_with_the_last_handle() {
    let children = Children::new();
    let script = "(env -i setsid sh -c 'while :; do sleep 0.1; done' >/dev/null 2>&1 </dev/null & \
                  echo $!); echo $PPID; sleep 0.2";
    let finished = children.run(sh(script), Exchange::feeding("")).await.unwrap();
    let text = String::from_utf8(finished.stdout).unwrap();
    let numbers: Vec<i32> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let [daemon, guard] = numbers[..] else { panic!("{text}") };
    std::process::Command::new("kill").args(["-9", &guard.to_string()]).status().unwrap();
    eventually("the guard is gone", || has_ended(guard)).await;
    assert!(!has_ended(daemon));
    drop(children);
    assert!(has_ended(daemon));
}

#[tokio::test]
async fn the_keeper_holds_none_of_our_memory() {
    let ballast = std::hint::black_box(vec![1_u8; 64 << 20]);
    let children = Children::new();
    let child = children.spawn(sh("sleep 100")).await.unwrap();
    let guard = parent(child.pid().cast_signed());
    for process in [guard, parent(guard)] {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        let kilobytes: usize = line.split_whitespace().next().unwrap().parse().unwrap();
        assert!(kilobytes < 16 << 10, "{kilobytes} kB");
    }
    drop(ballast);
}

#[tokio::test]
async fn a_child_dies_with_its_guard() {
    let children = Children::new();
    let mut held = children.spawn(sh("sleep 100")).await.unwrap();
    let (pid, guard) = (held.pid().cast_signed(), parent(held.pid().cast_signed()));
    std::process::Command::new("kill").args(["-9", &guard.to_string()]).status().unwrap();
    assert_eq!(held.exited().await, Exit::Unseen);
    all_end(&[pid]).await;
}

#[tokio::test]
async fn a_job_left_behind_by_an_orderly_exit_ends_too() {
    let finished = run("sleep 100 >/dev/null 2>&1 & echo $!").await;
    let pid: i32 = String::from_utf8(finished.stdout).unwrap().trim().parse().unwrap();
    all_end(&[pid]).await;
}

#[tokio::test]
async fn a_daemon_ends_with_the_last_handle() {
    let children = Children::new();
    let script = "setsid sleep 100 >/dev/null 2>&1 </dev/null & echo $!; sleep 0.2";
    let finished = children.run(sh(script), Exchange::feeding("")).await.unwrap();
    let pid: i32 = String::from_utf8(finished.stdout).unwrap().trim().parse().unwrap();
    drop(children);
    assert!(has_ended(pid));
}

#[tokio::test]
async fn the_last_handle_takes_every_child_with_it() {
    let children = Children::new();
    let child = children.spawn(sh("trap '' TERM; while :; do sleep 0.1; done")).await.unwrap();
    let pid = child.pid().cast_signed();
    assert!(!has_ended(pid));
    drop((child, children));
    assert_eq!(state(pid), None);
}

#[tokio::test]
async fn a_child_outlives_the_thread_that_asked_for_it() {
    let children = Children::new();
    let theirs = children.clone();
    let ask = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let child = runtime.block_on(theirs.spawn(sh("read line; exit 5"))).unwrap();
        (runtime, child)
    };
    let (runtime, mut child) = std::thread::spawn(ask).join().unwrap();
    assert!(!has_ended(child.pid().cast_signed()));
    let exit = tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            child.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
            child.exited().await
        })
    });
    assert_eq!(exit.await.unwrap(), Exit::Code(5));
}

#[tokio::test]
async fn a_long_lived_child_is_talked_to_until_it_is_dropped() {
    let children = Children::new();
    let mut child = children.spawn(sh("while read line; do echo \"<$line>\"; done")).await.unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for word in ["one", "two"] {
        stdin.write_all(format!("{word}\n").as_bytes()).await.unwrap();
        let mut answer = [0; 6];
        tokio::time::timeout(BOUND, stdout.read_exact(&mut answer)).await.unwrap().unwrap();
        assert_eq!(answer, format!("<{word}>\n").as_bytes());
    }
    let pid = child.pid().cast_signed();
    drop(child);
    eventually("the child is reaped", || state(pid).is_none()).await;
    eventually("no zombie is left", || zombies().is_empty()).await;
}
