//! `write-load`: calls without end, each return on a line, until somebody kills the process.

use std::{
    io::{Stdout, Write as _},
    sync::Arc,
};

use anyhow::{Result, bail};
use parking_lot::Mutex;
use serde_json::json;
use toolsmith_core::{Call, Clock, SystemClock};
use toolsmith_engine::Engine;
use toolsmith_store::{Durability, Store, StoreConfig};

use crate::{arguments::Arguments, bursts};

pub(crate) fn write_load(arguments: &Arguments) -> Result<()> {
    let durability = match arguments.text("durability")? {
        "sync" => Durability::Sync,
        "batched" => Durability::Batched,
        other => bail!("--durability is sync or batched, not `{other}`"),
    };
    let config = StoreConfig { durability, ..StoreConfig::at(arguments.text("data")?) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(config).await?;
        let engine = bursts::engine(0, Some(Arc::new(store)))?;
        let out = Arc::new(Mutex::new(std::io::stdout()));
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..8 {
            tasks.spawn(call_on(engine.clone(), task, Arc::clone(&out)));
        }
        while tasks.join_next().await.is_some() {}
        Ok(())
    })
}

/// Calls until nobody reads any more.
async fn call_on(engine: Engine, task: u32, out: Arc<Mutex<Stdout>>) {
    for number in 0_u64.. {
        let input = json!({ "message": format!("{task} {number}") });
        let outcome = engine.call(Call::new("echo", input)).await;
        let at = SystemClock.now().as_micros();
        // A line is written whole: what stands there has returned.
        if writeln!(out.lock(), "{} {at}", outcome.call_id).is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
}
