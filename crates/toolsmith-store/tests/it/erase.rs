use std::{fs, path::Path};

use toolsmith_core::{Artifacts, JsonText, Record, json};
use toolsmith_store::{Erase, Query, Retention, StoreError};

use crate::{
    artifacts::artifact,
    support::{all, assert_sound, folder, oldest_first, open, push, record},
};

/// Tells whether a text stands anywhere in the files of a folder.
fn is_anywhere(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return is_anywhere(&path, text);
        }
        let content = fs::read(path).unwrap();
        content.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

fn of(whose: &str, record: Record) -> Record {
    Record {
        params: JsonText::of(&json!({ "secret": format!("{whose} wrote this") })),
        result: Some(JsonText::of(&json!({ "answer": format!("{whose} got this").repeat(200) }))),
        conversation_id: Some(format!("talk-of-{whose}").into()),
        caller_id: Some(format!("agent-of-{whose}").into()),
        user_id: Some(whose.into()),
        tool_name: format!("tool-of-{whose}").into(),
        ..record
    }
}

/// Names that differ in their first letter, so that one is never found inside another.
fn names() -> impl Iterator<Item = String> {
    ('a'..='z').flat_map(|letter| (0..20).map(move |number| format!("{letter}{number:02}x")))
}

#[tokio::test]
async fn nothing_of_an_erased_person_is_left_in_any_file() {
    let folder = folder();
    let store = open(folder.path()).await;
    for round in 0..4_i64 {
        let records = names().zip(0..).map(|(name, at)| of(&name, record(round * 1_000 + at)));
        push(&store, records).await;
    }
    let mut kept = artifact(9_000, "");
    kept.user_id = Some("k07x".into());
    store.keep(&kept, "an output of k07x").await.unwrap();
    assert!(is_anywhere(folder.path(), "k07x"));

    let erased = store.erase(Erase::User("k07x".into())).await.unwrap();
    assert_eq!((erased.records, erased.artifacts), (4, 1));
    assert!(erased.bytes > 0, "{erased:?}");
    assert!(!is_anywhere(folder.path(), "k07x"));
    assert!(is_anywhere(folder.path(), "k08x"));
    assert_eq!(all(&store, Query::default()).await.len(), 4 * 519);
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.total_calls, 4 * 519);
    assert!(!stats.tools.contains_key("tool-of-k07x"));

    let erased = store.erase(Erase::Conversation("talk-of-a00x".into())).await.unwrap();
    assert_eq!(erased.records, 4);
    let erased = store.erase(Erase::Caller("agent-of-z19x".into())).await.unwrap();
    assert_eq!(erased.records, 4);
    assert!(!is_anywhere(folder.path(), "a00x") && !is_anywhere(folder.path(), "z19x"));
    assert_sound(folder.path()).await;
}

#[tokio::test]
async fn the_statistics_of_others_stay_when_someone_is_erased() {
    let folder = folder();
    let store = open(folder.path()).await;
    let mine = |at| Record { user_id: Some("me".into()), ..record(at) };
    push(&store, (0..1_200).map(mine)).await;
    push(&store, (2_000..2_010).map(record)).await;
    let before = store.stats().await.unwrap().tools["echo"];
    assert_eq!(store.erase(Erase::User("me".into())).await.unwrap().records, 1_200);
    let after = store.stats().await.unwrap().tools["echo"];
    assert_eq!((before.count, after.count), (1_210, 10));
    assert!((after.avg_ms - 1.5).abs() < 0.01, "{after:?}");
    assert!((after.p99_ms - 1.5).abs() < 0.045, "{after:?}");
}

#[tokio::test]
async fn erasing_nobody_erases_nothing() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    let erased = store.erase(Erase::Caller("nobody".into())).await.unwrap();
    assert_eq!((erased.records, erased.artifacts), (0, 0));
    assert_eq!(all(&store, Query::default()).await.len(), 1);
    store.close().await;
    let error = store.erase(Erase::Caller("nobody".into())).await.unwrap_err();
    assert!(matches!(error, StoreError::Closed), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_go_on_while_someone_is_erased_and_old_records_are_pruned() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, (0..5_000).map(|at| of("me", record(at)))).await;
    let pushing = {
        let store = store.clone();
        tokio::spawn(async move { push(&store, (10_000..30_000).map(record)).await })
    };
    let erased = store.erase(Erase::User("me".into())).await.unwrap();
    let retention = Retention { max_records: Some(15_000), ..Retention::default() };
    let pruned = store.prune(retention).await.unwrap();
    pushing.await.unwrap();
    assert_eq!(erased.records, 5_000);
    let left = all(&store, oldest_first()).await;
    assert_eq!(left.len() as u64 + pruned.records, 20_000);
    assert_eq!(left.last(), Some(&record(29_999)));
    assert_eq!(store.stats().await.unwrap().total_calls, 20_000);
    assert_eq!(store.metrics().lost, 0);
    assert!(!is_anywhere(folder.path(), "me wrote this"));
    assert_sound(folder.path()).await;
}
