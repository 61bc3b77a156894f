//! `bench-engine`: the figures of the engine, each beside what it is compared with.

use std::sync::Arc;

use anyhow::Result;
use serde_json::json;
use toolsmith_store::{Store, StoreConfig};

use crate::{
    arguments::Arguments,
    bursts::{self, Irreducible},
    growth,
    machine::{median, rounded},
    records, start, threads,
};

/// Calls in a burst: fewer than the store's queue holds, so that nobody waits for the disk.
const BURST: usize = 4_000;

pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    let rounds = if arguments.has("quick") { 9 } else { 51 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let calls = runtime.block_on(calls(rounds))?;
    let figures = json!({
        "call_ns": rounded(calls.call),
        "bare_ns": rounded(calls.bare),
        "irreducible_ns": rounded(calls.irreducible),
        "call_vs_irreducible": rounded(calls.ratio),
        "call_with_subscriber_ns": rounded(calls.heard),
        "writer_busy_ns_per_record": rounded(calls.writer),
    });
    let mut figures = figures;
    for part in [
        growth::bench(rounds)?,
        threads::bench(rounds)?,
        runtime.block_on(records::bench(arguments.has("quick")))?,
        start::bench(arguments.has("quick"))?,
    ] {
        if let (Some(all), Some(part)) = (figures.as_object_mut(), part.as_object()) {
            all.extend(part.clone());
        }
    }
    serde_json::to_writer_pretty(std::io::stdout(), &figures)?;
    Ok(())
}

struct Calls {
    call: f64,
    bare: f64,
    irreducible: f64,
    ratio: f64,
    heard: f64,
    writer: f64,
}

/// Measures the sizes in turn, round by round, so that a noisy moment hits all of them.
async fn calls(rounds: usize) -> Result<Calls> {
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
    let writer = metrics.writer_busy.as_secs_f64() * 1e9
        / crate::machine::as_f64(usize::try_from(metrics.written)?);
    store.close().await;
    Ok(Calls {
        call: median(call),
        bare: median(bare),
        irreducible: median(irreducible),
        ratio: median(ratio),
        heard: median(heard),
        writer,
    })
}
