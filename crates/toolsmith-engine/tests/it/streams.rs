//! Calls that are followed while they run.

use std::time::Duration;

use toolsmith_core::{StreamItem, Tool, json};
use toolsmith_engine::Followed;

use crate::fakes::{call, engine, hang, spec};

#[tokio::test]
async fn chunks_come_in_order_and_the_outcome_closes_the_stream() {
    let tool = Tool::function(spec("count"), |cx, _input| async move {
        for n in 0..200 {
            cx.chunk(json!(n)).await;
        }
        Ok(json!("done"))
    });
    let (engine, _) = engine([tool]);
    let mut stream = engine.stream(call("count"));
    let mut chunks = Vec::new();
    let outcome = loop {
        match stream.next().await.unwrap() {
            Followed::Item(StreamItem::Chunk(chunk)) => chunks.push(chunk),
            Followed::Item(other) => panic!("{other:?}"),
            Followed::Outcome(outcome) => break outcome,
        }
    };
    assert_eq!(chunks, (0..200).map(|n| json!(n)).collect::<Vec<_>>());
    assert_eq!(outcome.output(), &json!("done"));
    assert!(stream.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_cancels_the_call() {
    let (engine, sink) = engine([hang()]);
    let mut stream = engine.stream(call("hang"));
    tokio::time::timeout(Duration::from_secs(1), stream.next()).await.unwrap_err();
    drop(stream);
    while sink.count() == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(sink.last().unwrap().error_type.unwrap().as_str(), "cancelled");
}

#[tokio::test]
async fn progress_is_told_and_nobody_following_is_no_failure() {
    let tool = Tool::function(spec("work"), |cx, _input| async move {
        cx.progress(1.0, Some(2.0), "half");
        cx.chunk("x").await;
        Ok(json!(null))
    });
    let (engine, _) = engine([tool]);
    assert!(engine.call(call("work")).await.is_success());
    let mut stream = engine.stream(call("work"));
    let Some(Followed::Item(StreamItem::Progress { done, total, message })) = stream.next().await
    else {
        panic!("progress first")
    };
    assert_eq!((done, total, message.as_str()), (1.0, Some(2.0), "half"));
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_at_its_deadline_whatever_its_tool_and_its_reader_do() {
    let endless = Tool::function(spec("endless"), |cx, _input| async move {
        loop {
            cx.chunk("more").await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let (engine, sink) = engine([endless]);
    let context = toolsmith_core::Context::default().with_timeout(Duration::from_secs(1));
    let mut stream = engine.stream(call("endless").with_context(context));
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(sink.last().unwrap().error_type.unwrap().as_str(), "timeout", "nobody has read");
    let mut last = None;
    while let Some(followed) = stream.next().await {
        last = Some(followed);
    }
    assert!(matches!(last, Some(Followed::Outcome(_))), "nothing follows the outcome");
}
