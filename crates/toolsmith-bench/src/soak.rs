//! `soak-engine`: a million calls that fail, panic, time out, are cancelled or dropped, under limits
//! of ten. Every call must leave exactly one record and one final event; nothing may be left over.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use parking_lot::Mutex;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolsmith_core::{
    Call, CallId, Context, ErrorKind, Receipt, Record, RecordSink, Tool, ToolError, ToolSpec,
};
use toolsmith_engine::{Engine, EngineConfig, Heard, Subscription, limiter::LimiterConfig};

use crate::{
    arguments::Arguments,
    machine::{as_f64, memory, rounded},
};

/// How many calls are remembered to see one twice: memory must stay flat.
const LATEST: usize = 100_000;

pub(crate) fn soak(arguments: &Arguments) -> Result<()> {
    let calls = arguments.number("calls", 1_000_000_u64)?;
    let tasks = arguments.number("tasks", 64_u64)?;
    // A panic is one of the things that happen here a hundred thousand times: not worth a line each.
    std::panic::set_hook(Box::new(|_| {}));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(calls, tasks))
}

async fn run(calls: u64, tasks: u64) -> Result<()> {
    let sink = Arc::new(Ledger::default());
    let records: Arc<dyn RecordSink> = Arc::<Ledger>::clone(&sink);
    let engine =
        Engine::builder().with_config(config(tasks)).with_records(records).tool(moody()).build()?;
    let progress = Arc::new(Progress::default());
    let listener = tokio::spawn(listen(engine.subscribe(), Arc::clone(&progress)));
    let start = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    let mut memory_at = Vec::new();
    for _ in 0..tasks {
        running.spawn(work(engine.clone(), Arc::clone(&progress), calls));
    }
    let mut tick = tokio::time::interval(Duration::from_millis(500));
    loop {
        tokio::select! {
            ended = running.join_next() => if ended.is_none() { break },
            _ = tick.tick() => memory_at.push((progress.begun.load(Relaxed), memory()?)),
        }
    }
    let left = engine.shutdown(Duration::from_secs(10)).await;
    let limits = engine.metrics().limits;
    drop(engine);
    let heard = tokio::time::timeout(Duration::from_secs(30), listener).await??;
    let (records, doubled) = sink.count();
    let growth = growth(&memory_at, calls);
    let report = json!({
        "calls": calls,
        "seconds": rounded(start.elapsed().as_secs_f64()),
        "records": records,
        "records_doubled": doubled,
        "final_events": heard.ended,
        "final_events_doubled": heard.doubled,
        "events_missed": heard.missed,
        "limiter": limits,
        "left_running": left,
        "outcomes": sink.kinds(),
        "memory_growth_mb": rounded(growth),
    });
    serde_json::to_writer_pretty(std::io::stdout(), &report)?;
    ensure!(records == calls && doubled == 0, "a call left no record, or two");
    ensure!(heard.doubled == 0, "a call ended twice");
    ensure!(heard.missed == 0, "the listener was too slow to tell");
    ensure!(heard.ended == calls, "a call did not end with one event");
    ensure!(limits.current_concurrent == 0 && limits.queue_length == 0, "a slot was lost");
    ensure!(left == 0, "calls were left running");
    ensure!(growth < 64.0, "memory grew");
    Ok(())
}

fn config(tasks: u64) -> EngineConfig {
    // A little less than all that do not run: the queue is full now and then.
    let queue_size = usize::try_from(tasks.saturating_sub(14)).unwrap_or(50);
    let limits = LimiterConfig { max_concurrent: 10, queue_size, ..LimiterConfig::default() };
    EngineConfig { limits, ..EngineConfig::default() }
}

/// A tool whose input says how it behaves.
#[expect(clippy::panic, reason = "a tool that crashes is one of the things to be survived")]
fn moody() -> Result<Tool, ToolError> {
    let spec = ToolSpec::new("moody")?.with_description("Behaves as its input says.");
    Ok(Tool::function(spec, |_cx, input| async move {
        match input["mood"].as_u64().unwrap_or_default() {
            0 => Err(ToolError::failed("no")),
            1 => Err(ToolError::upstream("later")),
            2 => panic!("mood"),
            3 => std::future::pending().await,
            4 => {
                tokio::time::sleep(Duration::from_micros(200)).await;
                Ok(json!("late"))
            }
            5 => {
                tokio::task::yield_now().await;
                Ok(json!("yielded"))
            }
            _ => Ok(json!("ok")),
        }
    }))
}

/// Makes calls until enough have begun; some are cancelled, some dropped.
async fn work(engine: Engine, progress: Arc<Progress>, calls: u64) {
    while progress.begun.fetch_add(1, Relaxed) < calls {
        progress.wait_for_listener().await;
        let mood = fastrand::u64(0..20);
        let timeout = Duration::from_micros(fastrand::u64(100..2_000));
        let context = Context::for_conversation("soak", fastrand::u8(..).to_string());
        // Only those without a conversation run side by side: the tool is not parallel.
        let context = if fastrand::u8(..) < 240 { Context::direct("soak") } else { context };
        let call =
            Call::new("moody", json!({ "mood": mood })).with_context(context.with_timeout(timeout));
        match fastrand::u8(0..10) {
            0 => {
                let token = CancellationToken::new();
                let cancel = async {
                    tokio::task::yield_now().await;
                    token.cancel();
                };
                tokio::join!(engine.call(call.with_cancel(token.clone())), cancel);
            }
            1 => {
                let patience = Duration::from_micros(fastrand::u64(1..500));
                tokio::time::timeout(patience, engine.call(call)).await.ok();
            }
            _ => {
                let outcome = engine.call(call).await;
                // Whoever is turned away at a full queue comes back a little later.
                if outcome.error().is_some_and(|error| error.kind() == ErrorKind::Rejected) {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
        }
    }
}

/// How much memory grew from the first quarter of the calls to the end, in megabytes.
fn growth(memory_at: &[(u64, u64)], calls: u64) -> f64 {
    let warm = memory_at.iter().find(|(begun, _)| *begun >= calls / 4).map(|(_, held)| *held);
    let last = memory_at.last().map(|(_, held)| *held);
    let grown = last.unwrap_or_default().saturating_sub(warm.or(last).unwrap_or_default());
    as_f64(usize::try_from(grown).unwrap_or_default()) / 1_048_576.0
}

#[derive(Default)]
struct Finals {
    ended: u64,
    doubled: u64,
    missed: u64,
}

/// How far the calls are, and how far the listener is.
#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Progress {
    /// Holds calls back while the listener has too much before it: it must not miss an event.
    async fn wait_for_listener(&self) {
        while self.begun.load(Relaxed).saturating_sub(self.ended.load(Relaxed)) > 700 {
            tokio::task::yield_now().await;
        }
    }
}

/// Counts the last events of calls; ids are kept for a moment to see a second one.
async fn listen(mut subscription: Subscription, progress: Arc<Progress>) -> Finals {
    let mut seen: HashSet<CallId> = HashSet::new();
    let mut counts = Finals::default();
    while let Some(heard) = subscription.next().await {
        match heard {
            Heard::Missed(missed) => counts.missed += missed,
            Heard::Event(event) if event.kind.is_final() => {
                counts.ended += 1;
                progress.ended.fetch_add(1, Relaxed);
                if let Some(id) = event.call_id
                    && !seen.insert(id)
                {
                    counts.doubled += 1;
                }
                if seen.len() > LATEST {
                    seen.clear();
                }
            }
            Heard::Event(_) => {}
        }
    }
    counts
}

/// Counts records, and remembers the latest to see a second one of the same call.
#[derive(Debug, Default)]
struct Ledger(Mutex<LedgerState>);

#[derive(Debug, Default)]
struct LedgerState {
    latest: HashSet<CallId>,
    records: u64,
    doubled: u64,
    kinds: BTreeMap<&'static str, u64>,
}

impl Ledger {
    fn count(&self) -> (u64, u64) {
        let state = self.0.lock();
        (state.records, state.doubled)
    }

    fn kinds(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().kinds.clone()
    }
}

impl RecordSink for Ledger {
    fn push(&self, record: Record) -> Receipt {
        let mut state = self.0.lock();
        state.records += 1;
        if !state.latest.insert(record.record_id) {
            state.doubled += 1;
        }
        if state.latest.len() > LATEST {
            state.latest.clear();
        }
        let kind = record.error_type.map_or("ok", ErrorKind::as_str);
        *state.kinds.entry(kind).or_default() += 1;
        Receipt::done()
    }
}
