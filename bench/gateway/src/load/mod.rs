//! The load: many connections that each make one call after the other, and check every answer.
//!
//! It runs on one thread of its own process and does as little as it can, so that it is never the
//! limit: sockets without a client library, requests that are written before the first is sent.

mod caller;
mod client;
mod request;

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering::Relaxed},
    },
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use tokio::{
    task::{JoinHandle, JoinSet, spawn, yield_now},
    time::{Instant, sleep, timeout},
};

use self::caller::{Caller, MEASURING, OVER, WARMING};
use crate::machine::{processor_time, rounded};

/// How long after its time a measurement is given up: an answer did not come.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is to be done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) address: SocketAddr,
    pub(crate) path: String,
    pub(crate) speech: Speech,
    pub(crate) tool: String,
    pub(crate) connections: usize,
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
    /// The process whose processor time is read.
    pub(crate) server: u32,
    pub(crate) patience: Patience,
}

/// What the load does while no answer is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Patience {
    /// It looks again at once. A server that answers a sleeping process also pays for waking it,
    /// and the slower one more often: on a machine of its own, the load would not cost it that.
    Spins,
    /// It sleeps, because others need its core.
    Sleeps,
}

/// How a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Speech {
    /// `POST /run_tool`.
    RunTool,
    /// MCP 2025-11-25, after `initialize`, in a session where the server wants one.
    Mcp2025,
    /// MCP 2026-07-28, where each request stands for itself.
    Mcp2026,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) calls_per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// The processor time that the server spent on a call, in microseconds.
    pub(crate) cpu_us: f64,
    /// How busy the load itself was, as far as it slept: near 1 it would have been the limit.
    pub(crate) load_busy: f64,
}

/// Makes the calls of the plan on standard input and prints what came of it.
pub(crate) fn run() -> Result<()> {
    let plan: Plan = serde_json::from_reader(std::io::stdin().lock())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let longest = plan.warm_up + plan.measured + PATIENCE;
    let report = runtime.block_on(async { timeout(longest, measure(&plan)).await });
    let report = report.context("an answer did not come")??;
    Ok(serde_json::to_writer(std::io::stdout(), &report)?)
}

async fn measure(plan: &Plan) -> Result<Report> {
    let phase = Arc::new(AtomicU8::new(WARMING));
    let mut callers = JoinSet::new();
    for number in 0..plan.connections {
        let caller = Caller::connect(plan, number).await?;
        callers.spawn(caller.call_on(Arc::clone(&phase)));
    }
    let spinning = (plan.patience == Patience::Spins).then(|| AbortOnDrop(spawn(spin())));
    sleep(plan.warm_up).await;
    let own = std::process::id();
    let before = (Instant::now(), processor_time(plan.server)?, processor_time(own)?);
    phase.store(MEASURING, Relaxed);
    sleep(plan.measured).await;
    let took = before.0.elapsed();
    let server = processor_time(plan.server)?.saturating_sub(before.1);
    let load = processor_time(own)?.saturating_sub(before.2);
    phase.store(OVER, Relaxed);
    drop(spinning);
    let mut times = Vec::new();
    while let Some(ended) = callers.join_next().await {
        times.append(&mut ended??);
    }
    times.sort_unstable();
    let calls = count(times.len());
    ensure!(calls > 0.0, "not one call was answered");
    Ok(Report {
        calls_per_second: (calls / took.as_secs_f64()).round(),
        p50_ms: rounded(quantile(&times, 50)?),
        p99_ms: rounded(quantile(&times, 99)?),
        cpu_us: rounded(server.as_secs_f64() * 1e6 / calls),
        load_busy: rounded(load.as_secs_f64() / took.as_secs_f64()),
    })
}

/// Keeps the thread from going to sleep.
async fn spin() {
    loop {
        yield_now().await;
    }
}

/// A task that ends when nobody wants it any more.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns a quantile of sorted times, in milliseconds.
fn quantile(times: &[u64], percent: usize) -> Result<f64> {
    let nanos = times.get(times.len() * percent / 100).context("no times")?;
    Ok(Duration::from_nanos(*nanos).as_secs_f64() * 1e3)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a benchmark are far below 2^52")]
fn count(number: usize) -> f64 {
    number as f64
}
