use toolsmith_core::{Artifact, Artifacts, CallId, ErrorKind, Timestamp};
use toolsmith_store::{ArtifactQuery, Durability, Store, StoreConfig};

use crate::support::{START, folder, open};

pub(crate) fn artifact(millis: i64, content: &str) -> Artifact {
    let created_at = Timestamp::from_millis(START + millis);
    Artifact {
        id: CallId::from_parts(created_at, millis.unsigned_abs()),
        tool_name: "fetch".into(),
        media_type: "text/plain".into(),
        bytes: content.len() as u64,
        caller_id: Some("agent".into()),
        conversation_id: Some("one".into()),
        user_id: None,
        created_at,
    }
}

#[tokio::test]
async fn an_output_is_kept_whole_and_read_in_pages_of_whole_characters() {
    let folder = folder();
    for durability in [Durability::Batched, Durability::Sync] {
        let config = StoreConfig { durability, ..StoreConfig::at(folder.path()) };
        let store = Store::open(config).await.unwrap();
        let content = "拼图 puzzle 🦀 ".repeat(500);
        let kept = artifact(1, &content);
        store.keep(&kept, &content).await.unwrap();
        let (mut read, mut next) = (String::new(), Some(0));
        while let Some(offset) = next {
            let page = store.read(kept.id, offset, 100).await.unwrap();
            assert_eq!((&page.artifact, page.offset), (&kept, offset));
            assert!(page.content.len() <= 100);
            read.push_str(&page.content);
            next = page.next_offset;
        }
        assert_eq!(read, content);
        store.close().await;
    }
}

#[tokio::test]
async fn reading_behind_the_end_gives_an_empty_last_page() {
    let folder = folder();
    let store = open(folder.path()).await;
    store.keep(&artifact(1, "short"), "short").await.unwrap();
    let page = store.read(artifact(1, "short").id, 1_000_000, 10).await.unwrap();
    assert_eq!((page.offset, page.content.as_str(), page.next_offset), (5, "", None));
}

#[tokio::test]
async fn an_unknown_artifact_is_not_found() {
    let folder = folder();
    let store = open(folder.path()).await;
    let error = store.read(artifact(1, "").id, 0, 10).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutionError);
    assert!(error.message().contains("not found"), "{error}");
}

#[tokio::test]
async fn an_artifact_whose_file_is_gone_is_not_found() {
    let folder = folder();
    let store = open(folder.path()).await;
    let kept = artifact(1, "text");
    store.keep(&kept, "text").await.unwrap();
    std::fs::remove_file(folder.path().join("artifacts").join(kept.id.to_string())).unwrap();
    let error = store.read(kept.id, 0, 10).await.unwrap_err();
    assert!(error.message().contains("not found"), "{error}");
}

#[tokio::test]
async fn artifacts_are_listed_newest_first_by_whose_they_are() {
    let folder = folder();
    let store = open(folder.path()).await;
    for millis in 0..5 {
        let mut kept = artifact(millis, "text");
        kept.user_id = (millis % 2 == 0).then(|| "me".into());
        store.keep(&kept, "text").await.unwrap();
    }
    let mine = ArtifactQuery { user_id: Some("me".into()), limit: 2, ..ArtifactQuery::default() };
    let first = store.artifacts(mine.clone()).await.unwrap();
    let ids = |millis: &[i64]| millis.iter().map(|&m| artifact(m, "").id).collect::<Vec<_>>();
    assert_eq!(first.artifacts.iter().map(|kept| kept.id).collect::<Vec<_>>(), ids(&[4, 2]));
    let rest = store.artifacts(ArtifactQuery { cursor: first.next, ..mine }).await.unwrap();
    assert_eq!(rest.artifacts.iter().map(|kept| kept.id).collect::<Vec<_>>(), ids(&[0]));
    assert_eq!(rest.next, None);
    assert_eq!(store.artifact(artifact(1, "").id).await.unwrap(), Some(artifact(1, "text")));
}
