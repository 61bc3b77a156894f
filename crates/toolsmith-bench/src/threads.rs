//! How much two threads do more than one.

use std::{sync::Arc, sync::Barrier, time::Instant};

use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use toolsmith_engine::Engine;
use toolsmith_testing::sink::CountingSink;

use crate::{
    bursts::{self, Irreducible},
    machine::{median, rounded},
};

const CALLS: usize = 20_000;

pub(crate) fn bench(rounds: usize) -> Result<Value> {
    let make = || bursts::engine(9, Some(Arc::new(CountingSink::new())));
    let engine = make()?;
    let engines = [make()?, make()?];
    // What the first call of a tool makes (its compiled schema) must not lie among the memory that
    // a measured thread takes and gives back: writes there would slow the reads of the other.
    call_many(&engine);
    engines.iter().for_each(call_many);
    let work = Arc::new(Irreducible::new()?);
    let (mut calls, mut apart, mut least) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.div_ceil(2) {
        let whole = |_: usize| {
            let engine = engine.clone();
            move || call_many(&engine)
        };
        calls.push(rate(2, &whole)? / rate(1, &whole)?);
        let each_its_own = |number: usize| {
            let engine = engines[number].clone();
            move || call_many(&engine)
        };
        apart.push(rate(2, &each_its_own)? / rate(1, &each_its_own)?);
        let reference = |_: usize| {
            let work = Arc::clone(&work);
            move || {
                (0..CALLS * 2).for_each(|_| {
                    std::hint::black_box(work.call());
                });
            }
        };
        least.push(rate(2, &reference)? / rate(1, &reference)?);
    }
    Ok(json!({
        "threads_2_vs_1": rounded(median(calls)),
        "threads_2_vs_1_engine_each": rounded(median(apart)),
        "threads_2_vs_1_irreducible": rounded(median(least)),
    }))
}

fn call_many(engine: &Engine) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    if let Ok(runtime) = runtime {
        runtime.block_on(bursts::time_calls(engine, CALLS));
    }
}

/// Returns how often a second the work is done by that many threads together.
fn rate<W: FnOnce() + Send + 'static>(threads: usize, make: &dyn Fn(usize) -> W) -> Result<f64> {
    let barrier = Arc::new(Barrier::new(threads + 1));
    let running: Vec<_> = (0..threads)
        .map(|number| {
            let (work, barrier) = (make(number), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                work();
            })
        })
        .collect();
    barrier.wait();
    let start = Instant::now();
    for thread in running {
        thread.join().map_err(|_| anyhow!("a thread of the benchmark failed"))?;
    }
    Ok(crate::machine::as_f64(threads) / start.elapsed().as_secs_f64())
}
