//! Tools that are services: how long a start takes, and a call of one that runs.

mod yard;

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};
use toolsmith_connectors::life::State;
use toolsmith_core::Call;

use self::yard::{Kind, Yard};
use crate::{
    arguments::Arguments,
    machine::{as_f64, median, rounded},
};

/// How many callers there are when many call at once.
const CALLERS: usize = 20;

/// How long an idle service may take to be stopped: longer means that something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

/// Measures each kind of service that this machine can run.
pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    let calls = arguments.number("calls", 1_000)?;
    let docker_host = arguments.text("docker-host").unwrap_or_default().to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        let yard = Yard::open(&docker_host)?;
        let mut report = serde_json::Map::new();
        for kind in Kind::ALL {
            let measured = measure(&yard, kind, calls).await;
            let figures =
                measured.unwrap_or_else(|error| json!({ "not_measured": format!("{error:#}") }));
            report.insert(kind.name().to_owned(), figures);
        }
        yard.services.close().await;
        anyhow::Ok(Value::Object(report))
    })?;
    serde_json::to_writer_pretty(std::io::stdout(), &report)?;
    Ok(())
}

async fn measure(yard: &Yard, kind: Kind, calls: usize) -> Result<Value> {
    yard.register(kind)?;
    let name = kind.name();
    let cold = call(yard, name).await?;
    let begun = Instant::now();
    let mut each = Vec::with_capacity(calls);
    for _ in 0..calls {
        each.push(call(yard, name).await?.as_secs_f64() * 1e6);
    }
    let one_by_one = begun.elapsed();
    let at_once = crowd(yard, name, calls).await?;
    yard.services.stop(name).await;
    let restart = call(yard, name).await?;
    let idle = wait_until_idle(yard, name).await?;
    let per_second = |took: Duration| (as_f64(calls) / took.as_secs_f64()).round();
    Ok(json!({
        "cold_start_ms": millis(cold),
        "restart_ms": millis(restart),
        "idle_stop_ms_after_the_last_call": millis(idle),
        "idle_ms_allowed": millis(yard::IDLE),
        "warm_call_p50_us": rounded(median(each)),
        "calls_per_s_one_by_one": per_second(one_by_one),
        "calls_per_s_20_at_once": per_second(at_once),
    }))
}

async fn call(yard: &Yard, name: &str) -> Result<Duration> {
    let begun = Instant::now();
    let outcome = yard.engine.call(Call::new(name, json!({ "text": "one two three" }))).await;
    let took = begun.elapsed();
    ensure!(outcome.is_success(), "{}", outcome.error().context("no error")?.message());
    Ok(took)
}

async fn crowd(yard: &Yard, name: &'static str, calls: usize) -> Result<Duration> {
    let mut callers = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..CALLERS {
        let engine = Arc::new(yard.engine.clone());
        callers.spawn(async move {
            for _ in 0..calls / CALLERS {
                let input = json!({ "text": "one two three" });
                let outcome = engine.call(Call::new(name, input)).await;
                ensure!(outcome.is_success(), "{:?}", outcome.error());
            }
            Ok(())
        });
    }
    for result in callers.join_all().await {
        result?;
    }
    Ok(begun.elapsed())
}

async fn wait_until_idle(yard: &Yard, name: &str) -> Result<Duration> {
    let begun = Instant::now();
    while yard.services.status(name).context("no service")?.state != State::Stopped {
        ensure!(begun.elapsed() < PATIENCE, "it was not stopped although nobody called it");
        sleep(Duration::from_millis(2)).await;
    }
    Ok(begun.elapsed())
}

fn millis(duration: Duration) -> f64 {
    rounded(duration.as_secs_f64() * 1e3)
}
