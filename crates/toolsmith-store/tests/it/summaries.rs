use std::time::Duration;

use toolsmith_core::{Record, json};
use toolsmith_store::{Erase, Statistics};

use crate::support::{failed, folder, open, push, record};

fn of(conversation: &str, tool: &str, record: Record) -> Record {
    Record { conversation_id: Some(conversation.into()), tool_name: tool.into(), ..record }
}

#[tokio::test]
async fn a_conversation_is_summed_up_by_tool_and_outcome() {
    let folder = folder();
    let store = open(folder.path()).await;
    let records = [
        of("one", "echo", record(1)),
        of("one", "echo", failed(2)),
        of("one", "calculator", record(3)),
        of("one", "calculator", record(4)),
        of("two", "echo", failed(5)),
        record(6),
    ];
    push(&store, records).await;
    let summary = store.summary("one").await.unwrap();
    assert_eq!(
        serde_json::to_value(&summary).unwrap(),
        json!({
            "conversation_id": "one",
            "total_calls": 4,
            "successful_calls": 3,
            "failed_calls": 1,
            "success_rate": 75.0,
            "tool_usage": {"calculator": 2, "echo": 2}
        })
    );
    assert_eq!(
        serde_json::to_value(summary.brief()).unwrap(),
        json!({
            "total_calls": 4,
            "success_rate": 75.0,
            "tool_usage": {"calculator": 2, "echo": 2},
            "has_errors": true
        })
    );
}

#[tokio::test]
async fn an_unknown_conversation_has_no_calls_and_no_success() {
    let folder = folder();
    let store = open(folder.path()).await;
    let summary = store.summary("nobody").await.unwrap();
    assert_eq!((summary.total_calls, summary.tool_usage.len()), (0, 0));
    assert!(summary.success_rate.abs() < f64::EPSILON);
    assert!(!summary.brief().has_errors);
}

#[tokio::test]
async fn statistics_know_counts_averages_and_percentiles_of_each_tool() {
    let folder = folder();
    let store = open(folder.path()).await;
    let slow = (1..=1_000_i64).map(|millis| Record {
        execution_time: Duration::from_millis(millis.unsigned_abs()),
        tool_name: "slow".into(),
        ..if millis % 10 == 0 { failed(millis) } else { record(millis) }
    });
    push(&store, slow).await;
    push(&store, [record(2_000)]).await;
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.total_calls, stats.failed_calls, stats.successful_calls), (1_001, 100, 901));
    assert!((stats.success_rate - 901.0 * 100.0 / 1_001.0).abs() < 1e-9);
    assert_eq!(serde_json::to_value(&stats.tool_usage).unwrap(), json!({"echo": 1, "slow": 1_000}));
    let slow = &stats.tools["slow"];
    assert_eq!((slow.count, slow.failures), (1_000, 100));
    for (found, expected) in
        [(slow.avg_ms, 500.5), (slow.p50_ms, 500.0), (slow.p95_ms, 950.0), (slow.p99_ms, 990.0)]
    {
        assert!((found - expected).abs() <= expected * 0.03, "{found} is not {expected}");
    }
    assert!((stats.tools["echo"].p99_ms - 1.5).abs() < 0.045, "{:?}", stats.tools["echo"]);
}

#[tokio::test]
async fn names_that_callers_make_up_are_counted_under_one_name() {
    let folder = folder();
    let store = open(folder.path()).await;
    let made_up = |at: i64| Record {
        version: None,
        tool_name: format!("no-such-tool-{at}").into(),
        user_id: (at < 400).then(|| "me".into()),
        ..failed(at)
    };
    push(&store, (0..1_000).map(made_up)).await;
    push(&store, [record(1_000)]).await;
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.total_calls, stats.failed_calls), (1_001, 1_000));
    let usage = |stats: &Statistics| serde_json::to_value(&stats.tool_usage).unwrap();
    assert_eq!(usage(&stats), json!({"(unknown)": 1_000, "echo": 1}));
    assert_eq!(stats.tools["(unknown)"].failures, 1_000);

    store.erase(Erase::User("me".into())).await.unwrap();
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.total_calls, stats.failed_calls), (601, 600));
    assert_eq!(usage(&stats), json!({"(unknown)": 600, "echo": 1}));
    assert!((stats.tools["(unknown)"].p99_ms - 1.5).abs() < 0.045, "{stats:?}");
}

#[tokio::test]
async fn an_empty_store_has_statistics_too() {
    let folder = folder();
    let store = open(folder.path()).await;
    let stats = store.stats().await.unwrap();
    assert_eq!(
        serde_json::to_value(&stats).unwrap(),
        json!({
            "total_calls": 0,
            "successful_calls": 0,
            "failed_calls": 0,
            "success_rate": 0.0,
            "tool_usage": {},
            "tools": {}
        })
    );
}
