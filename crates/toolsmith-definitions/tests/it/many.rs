//! Ten thousand files: one change is one read.

use std::time::{Duration, Instant};

use toolsmith_definitions::{Definitions, Watcher};

use crate::support::{Folder, engine, said, saying, until_said};

const MANY: usize = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_change_among_ten_thousand_files_is_one_read_and_live_within_two_seconds() {
    let folder = Folder::new();
    for n in 0..MANY {
        let text = format!(
            "{}parameters:\n  - {{name: q, type: string, required: true}}\n  - {{name: n, type: \
             integer, default: 3, min: 1, max: 9}}\ntags: [a, b]\n",
            saying(&format!("t{n}"), "old")
        );
        folder.write(&format!("d{}/t{n}.yaml", n % 100), &text);
    }
    let (engine, definitions) = (engine(), folder.definitions());
    let began = Instant::now();
    let reloaded = definitions.attach(&engine);
    let (first, problems) = (began.elapsed(), reloaded.problems.len());
    assert_eq!((reloaded.added.len(), problems, definitions.reads()), (MANY, 0, MANY as u64));

    let (idle, reads) = at_rest(&definitions);

    let watching = Watcher::new(definitions.clone()).with_events().start();
    // The first change shows that the watch has begun.
    folder.write("d8/t8.yaml", &saying("t8", "begun"));
    until_said(&engine, "t8", "begun").await;
    folder.write("d7/t7007.yaml", &saying("t7007", "new"));
    let live = until_said(&engine, "t7007", "new").await;
    watching.stop().await;
    assert_eq!(said(&engine, "t7007").await, "new");
    assert_eq!(definitions.reads(), reads + 2);
    assert!(live < Duration::from_secs(2), "took {live:?}");
    println!(
        "{MANY} files: read and registered in {first:?}, looked at in {idle:?}, one change live in {live:?}"
    );
}

/// Reloads until nothing is read any more: a file that was just written is looked at once more.
fn at_rest(definitions: &Definitions) -> (Duration, u64) {
    let first = Instant::now();
    loop {
        let (began, before) = (Instant::now(), definitions.reads());
        assert_eq!(definitions.reload().updated.len(), 0);
        if definitions.reads() == before {
            return (began.elapsed(), before);
        }
        assert!(first.elapsed() < Duration::from_secs(10), "files are read again and again");
    }
}
