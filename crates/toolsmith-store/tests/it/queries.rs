use std::time::Duration;

use toolsmith_core::{
    CallId, CallerType, ErrorKind, JsonText, Record, RecordSink, Timestamp, json,
};
use toolsmith_store::{Order, Query};

use crate::support::{START, all, failed, folder, oldest_first, open, push, record};

#[tokio::test]
async fn a_record_comes_back_as_it_was_pushed() {
    let folder = folder();
    let store = open(folder.path()).await;
    let full = Record {
        tool_name: "拼图.tool-1".into(),
        version: None,
        params: JsonText::of(&json!({"text": "a\u{0}b \"quoted\" 🦀", "b": [1, null], "a": {}})),
        execution_time: Duration::from_nanos(1_234_567_891),
        error: Some("; DROP TABLE calls; --".to_owned()),
        error_type: Some(ErrorKind::PermissionDenied),
        caller_id: Some("agent".into()),
        caller_type: CallerType::WorkflowNode,
        conversation_id: Some("conversation".into()),
        workflow_id: Some("workflow".into()),
        node_id: Some("node".into()),
        task_id: Some("task".into()),
        user_id: Some("".into()),
        ..failed(7)
    };
    let plain = record(8);
    push(&store, [full.clone(), plain.clone()]).await;
    assert_eq!(store.record(full.record_id).await.unwrap(), Some(full));
    assert_eq!(store.record(plain.record_id).await.unwrap(), Some(plain));
    assert_eq!(store.record(record(9).record_id).await.unwrap(), None);
}

#[tokio::test]
async fn a_query_sees_what_was_pushed_before_it() {
    let folder = folder();
    let store = open(folder.path()).await;
    for millis in 0..50 {
        let pushed = record(millis);
        assert!(store.push(pushed.clone()).is_done());
        assert_eq!(store.record(pushed.record_id).await.unwrap(), Some(pushed));
    }
}

#[tokio::test]
async fn pages_come_newest_first_and_meet_without_a_gap() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, (0..25).map(record)).await;
    let first = store.records(Query { limit: 10, ..Query::default() }).await.unwrap();
    assert_eq!(first.records.len(), 10);
    assert_eq!(first.records[0], record(24));
    assert_eq!(first.next, Some(record(15).record_id));
    let every = all(&store, Query { limit: 10, ..Query::default() }).await;
    assert_eq!(every, (0..25).rev().map(record).collect::<Vec<_>>());
    let exact = store.records(Query { limit: 25, ..Query::default() }).await.unwrap();
    assert_eq!(exact.next, None, "a page that holds everything is the last one");
}

#[tokio::test]
async fn time_includes_its_beginning_and_excludes_its_end() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, (0..10).map(record)).await;
    let query = Query {
        since: Some(Timestamp::from_millis(START + 3)),
        until: Some(Timestamp::from_millis(START + 6)),
        ..oldest_first()
    };
    assert_eq!(all(&store, query).await, [record(3), record(4), record(5)]);
}

#[tokio::test]
async fn quotes_in_values_find_nothing_and_harm_nothing() {
    let folder = folder();
    let store = open(folder.path()).await;
    push(&store, [record(1)]).await;
    for hostile in ["' OR 1=1 --", "\"; DROP TABLE calls; --", "%", "echo' "] {
        let query = Query { tool_name: Some(hostile.into()), ..Query::default() };
        assert!(all(&store, query).await.is_empty(), "{hostile}");
    }
    assert_eq!(all(&store, Query::default()).await.len(), 1);
}

/// Makes records of many callers over several segments, some of them written long after their
/// calls began.
fn mixed(count: i64) -> Vec<Record> {
    let names = |kind: &str, number: i64, of: i64| Some(format!("{kind}-{}", number % of).into());
    let records = (0..count).map(|number| {
        // One call in fifty took long: it is written when 20,000 others have begun since.
        let began = if number % 50 == 0 { (number - 20_000).max(0) } else { number };
        let created_at = Timestamp::from_millis(START + began / 4);
        let made = if number % 7 == 0 { failed(0) } else { record(0) };
        Record {
            record_id: CallId::from_parts(created_at, number.unsigned_abs()),
            created_at,
            params: JsonText::of(&json!(number)),
            tool_name: format!("tool-{}", number % 5).into(),
            conversation_id: names("conversation", number * 31, 997),
            caller_id: (number % 3 != 0).then(|| names("caller", number, 40)).flatten(),
            user_id: (number % 2 == 0).then(|| names("user", number / 17_000, 100)).flatten(),
            workflow_id: (number % 1_000 == 1).then(|| names("workflow", number, 3)).flatten(),
            task_id: (number == 33_333).then(|| "the task".into()),
            ..made
        }
    });
    records.collect()
}

fn matches(query: &Query, record: &Record) -> bool {
    let equals = |wanted: &Option<_>, value: Option<&_>| {
        wanted.as_ref().is_none_or(|wanted| value == Some(wanted))
    };
    equals(&query.conversation_id, record.conversation_id.as_ref())
        && equals(&query.tool_name, Some(&record.tool_name))
        && equals(&query.caller_id, record.caller_id.as_ref())
        && equals(&query.user_id, record.user_id.as_ref())
        && equals(&query.workflow_id, record.workflow_id.as_ref())
        && equals(&query.task_id, record.task_id.as_ref())
        && query.since.is_none_or(|since| record.created_at >= since)
        && query.until.is_none_or(|until| record.created_at < until)
        && query.success.is_none_or(|success| record.is_success == success)
}

/// Every kind of question that can be asked about [`mixed`] records.
fn questions() -> Vec<Query> {
    let any = || Query { limit: 777, ..Query::default() };
    let at = |number: i64| Some(Timestamp::from_millis(START + number / 4));
    vec![
        any(),
        Query { conversation_id: Some("conversation-5".into()), limit: 7, ..any() },
        Query { conversation_id: Some("nobody".into()), ..any() },
        Query { tool_name: Some("tool-3".into()), limit: 5_000, ..any() },
        Query { caller_id: Some("caller-7".into()), ..any() },
        Query { user_id: Some("user-0".into()), limit: 2_500, ..any() },
        Query { user_id: Some("user-1".into()), success: Some(false), ..any() },
        Query { workflow_id: Some("workflow-1".into()), limit: 3, ..any() },
        Query { task_id: Some("the task".into()), ..any() },
        Query { success: Some(false), since: at(10_000), until: at(20_000), ..any() },
        Query { caller_id: Some("caller-1".into()), since: at(30_000), limit: 90, ..any() },
        Query {
            caller_id: Some("caller-2".into()),
            tool_name: Some("tool-2".into()),
            until: at(9_000),
            limit: 10,
            ..any()
        },
    ]
}

#[tokio::test]
async fn every_question_is_answered_as_if_each_record_had_been_looked_at() {
    let folder = folder();
    let store = open(folder.path()).await;
    let mut records = mixed(40_000);
    push(&store, records.clone()).await;
    records.sort_by_key(|record| record.record_id);
    for question in questions() {
        for order in [Order::OldestFirst, Order::NewestFirst] {
            let query = Query { order, ..question.clone() };
            let matching = records.iter().filter(|record| matches(&query, record)).cloned();
            let mut expected: Vec<Record> = matching.collect();
            if order == Order::NewestFirst {
                expected.reverse();
            }
            let found = all(&store, query.clone()).await;
            assert_eq!(found.len(), expected.len(), "{query:?}");
            assert!(found == expected, "the wrong records or a wrong order: {query:?}");
        }
    }
}

#[test]
fn questions_can_be_asked_from_any_task() {
    fn assert_send<T: Send>(_: impl Fn(toolsmith_store::Store) -> T) {}
    assert_send(|store| async move { store.records(Query::default()).await });
    assert_send(|store| async move { store.summary("one").await });
    assert_send(|store| async move { store.stats().await });
    assert_send(|store| async move { store.prune(toolsmith_store::Retention::default()).await });
    assert_send(|store| async move { store.erase(toolsmith_store::Erase::User("x".into())).await });
    assert_send(|store| async move {
        let mut out = Vec::new();
        store.export(Query::default(), toolsmith_store::Format::Csv, &mut out).await
    });
}
