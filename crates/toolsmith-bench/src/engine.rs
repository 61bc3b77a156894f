//! `bench-engine`: the figures of the engine, each beside what it is compared with.

use std::sync::Arc;

use anyhow::Result;
use serde_json::{Map, Value, json};
use toolsmith_store::{Store, StoreConfig};

use crate::{
    arguments::Arguments,
    bursts::{self, Irreducible},
    growth,
    machine::{median, nanos_each, rounded},
    records, start, threads,
};

/// Calls in a burst: fewer than the store's queue holds, so that nobody waits for the disk.
const BURST: usize = 4_000;

pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    let quick = arguments.has("quick");
    let rounds = if quick { 9 } else { 51 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let only = arguments.text("part").ok();
    let mut figures = Map::new();
    for part in ["calls", "growth", "threads", "records", "start"] {
        if only.is_some_and(|only| only != part) {
            continue;
        }
        let measured = match part {
            "calls" => runtime.block_on(calls(rounds))?,
            "growth" => growth::bench(rounds)?,
            "threads" => threads::bench(rounds)?,
            "records" => runtime.block_on(records::bench(quick))?,
            _ => start::bench(quick)?,
        };
        figures.extend(measured.as_object().cloned().unwrap_or_default());
    }
    serde_json::to_writer_pretty(std::io::stdout(), &figures)?;
    Ok(())
}

/// Measures the sizes in turn, round by round, so that a noisy moment hits all of them.
async fn calls(rounds: usize) -> Result<Value> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(StoreConfig::at(folder.path())).await?;
    let engine = bursts::engine(9, Some(Arc::new(store.clone())))?;
    let work = Irreducible::new()?;
    let (mut call, mut bare, mut irreducible) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ratio, mut heard) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(bursts::time_bare(BURST));
        let least = bursts::time_irreducible(&work, BURST);
        let whole = bursts::time_calls(&engine, BURST).await;
        store.flush().await;
        irreducible.push(least);
        call.push(whole);
        ratio.push(whole / least);
        let subscription = engine.subscribe();
        heard.push(bursts::time_calls(&engine, BURST).await);
        drop(subscription);
        store.flush().await;
    }
    let metrics = store.metrics();
    let writer = nanos_each(metrics.writer_busy, usize::try_from(metrics.written)?);
    store.close().await;
    Ok(json!({
        "call_ns": rounded(median(call)),
        "bare_ns": rounded(median(bare)),
        "irreducible_ns": rounded(median(irreducible)),
        "call_vs_irreducible": rounded(median(ratio)),
        "call_with_subscriber_ns": rounded(median(heard)),
        "writer_busy_ns_per_record": rounded(writer),
    }))
}
