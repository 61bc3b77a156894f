//! Many children at once leave nothing behind.

use std::{fs, time::Duration};

use toolsmith_children::{Children, Exchange};

use crate::support::{eventually, sh};

/// The tests that count zombies and open files, and so need a process without other tests.
const ALONE: &str = "crowd::inner::";

fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn sixty_four_at_once_leave_no_zombie_and_no_open_file() {
    let this = std::env::current_exe().unwrap();
    let mut alone = std::process::Command::new(this);
    let output = alone.args([ALONE, "--test-threads=1"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("2 passed"), "{text}");
}

mod inner {
    use super::*;
    use crate::support::zombies;

    /// Whether this is the process that the test above has started; elsewhere it does the work.
    fn is_alone() -> bool {
        std::env::args().any(|argument| argument == ALONE)
    }

    /// How many guards may wait for their next child, each with a file of ours.
    const GUARDS: usize = 16;

    async fn settled(children: Children, before: usize) {
        eventually("no zombie is left", || zombies().is_empty()).await;
        let most = before + GUARDS;
        eventually("no more files are open than guards wait", || open_files() <= most).await;
        drop(children);
        eventually("no file is left open", || open_files() < before).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn to_the_end() {
        if !is_alone() {
            return;
        }
        let children = Children::new();
        children.run(sh("exit 0"), Exchange::feeding("")).await.unwrap();
        let before = open_files();
        let one = |number: usize| {
            let children = children.clone();
            async move {
                let exchange = Exchange::feeding(number.to_string());
                let finished = children.run(sh("cat; sleep 0.1"), exchange).await.unwrap();
                assert_eq!(finished.stdout, number.to_string().as_bytes());
            }
        };
        let tasks: Vec<_> = (0..64).map(|number| tokio::spawn(one(number))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        settled(children, before).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn given_up_midway() {
        if !is_alone() {
            return;
        }
        let children = Children::new();
        children.run(sh("exit 0"), Exchange::feeding("")).await.unwrap();
        let before = open_files();
        let one = |number: u64| {
            let children = children.clone();
            async move {
                let run = children.run(sh("sleep 100 & sleep 100"), Exchange::feeding(""));
                // Some are given up before they have started.
                tokio::time::timeout(Duration::from_millis(number), run).await.unwrap_err();
            }
        };
        let tasks: Vec<_> = (0..64).map(|number| tokio::spawn(one(number * 3))).collect();
        for task in tasks {
            task.await.unwrap();
        }
        settled(children, before).await;
    }
}
