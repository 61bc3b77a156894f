//! How many records a second go into the store.

use std::{sync::Arc, time::Instant};

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith_core::{Clock, Ids, JsonText, RandomIds, Record, RecordSink, SystemClock, Text};
use toolsmith_store::{Durability, Store, StoreConfig};

use crate::machine::as_f64;

pub(crate) async fn bench(quick: bool) -> Result<Value> {
    let (batched, sync) = if quick { (100_000, 10_000) } else { (500_000, 50_000) };
    Ok(json!({
        "records_per_s_batched": per_second_batched(batched).await?,
        "records_per_s_sync": per_second_sync(sync).await?,
    }))
}

async fn per_second_batched(count: usize) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(StoreConfig::at(folder.path())).await?;
    let records: Vec<Record> = (0..count).map(record).collect();
    let start = Instant::now();
    for record in records {
        let receipt = store.push(record);
        if !receipt.is_done() {
            receipt.wait().await;
        }
    }
    store.flush().await;
    let took = start.elapsed();
    store.close().await;
    Ok(whole(as_f64(count) / took.as_secs_f64()))
}

async fn per_second_sync(count: usize) -> Result<u64> {
    const TASKS: usize = 64;
    let folder = tempfile::tempdir()?;
    let config = StoreConfig { durability: Durability::Sync, ..StoreConfig::at(folder.path()) };
    let store = Arc::new(Store::open(config).await?);
    let start = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            for number in 0..count / TASKS {
                store.push(record(task + number * TASKS)).wait().await;
            }
        });
    }
    while tasks.join_next().await.is_some() {}
    let took = start.elapsed();
    store.close().await;
    Ok(whole(as_f64(count) / took.as_secs_f64()))
}

/// A record such as calls leave: ten tools, a hundred conversations.
fn record(number: usize) -> Record {
    let created_at = SystemClock.now();
    Record {
        record_id: RandomIds.call_id(created_at),
        tool_name: Text::from(format!("tool_{}", number % 10)),
        version: Some(Text::new_static("1.0.0")),
        params: JsonText::of(&json!({ "message": "hello, world", "number": number })),
        result: Some(JsonText::of(&json!({ "message": "hello, world", "number": number }))),
        execution_time: std::time::Duration::from_micros(100),
        is_success: true,
        error: None,
        error_type: None,
        caller_id: Some(Text::new_static("agent-1")),
        caller_type: toolsmith_core::CallerType::ConversationAgent,
        conversation_id: Some(Text::from(format!("conversation-{}", number % 100))),
        workflow_id: None,
        node_id: None,
        task_id: None,
        user_id: None,
        created_at,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and far below 2^52"
)]
fn whole(rate: f64) -> u64 {
    rate as u64
}
