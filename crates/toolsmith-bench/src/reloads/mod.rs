//! `soak-definitions`: clients call tools while their definition files are rewritten, broken,
//! deleted and restored. No call may fail but for a file that is away, none may mix two versions,
//! and every bad state must be told.

mod client;
mod ear;
mod place;
mod script;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use toolsmith_children::Children;
use toolsmith_connectors::{command::CommandMaker, javascript::JavascriptMaker};
use toolsmith_core::{Overlay, Redactor, Vault};
use toolsmith_definitions::{Definitions, Makers, Watcher};
use toolsmith_engine::{Engine, EngineConfig, limiter::LimiterConfig};

use self::{client::Judgement, ear::Ear, place::Place, script::Deeds};
use crate::{
    arguments::Arguments,
    machine::{as_f64, memory, rounded},
};

/// How many definition files there are; each has somebody who plays with it.
const PLACES: usize = 24;

/// What the clients and those who play with the files share.
struct Stage {
    engine: Engine,
    places: Vec<Place>,
    ear: Ear,
}

pub(crate) fn soak(arguments: &Arguments) -> Result<()> {
    let seconds = arguments.number("seconds", 60_u64)?;
    let clients = arguments.number("clients", 32_usize)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(run(Duration::from_secs(seconds), clients))
}

async fn run(length: Duration, clients: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (definitions, stage) = prepare(folder.path(), clients)?;
    let watching =
        Watcher::new(definitions).with_events().with_polling(Duration::from_millis(250)).start();
    let ear = tokio::spawn(ear::listen(stage.engine.subscribe(), Arc::clone(&stage)));
    let (began, memory_before) = (Instant::now(), memory()?);

    let end = CancellationToken::new();
    let mut calling = JoinSet::new();
    for _ in 0..clients {
        calling.spawn(client::call_until(end.clone(), Arc::clone(&stage)));
    }
    let mut playing = JoinSet::new();
    for number in 0..PLACES {
        let stage = Arc::clone(&stage);
        playing.spawn_blocking(move || script::play(&stage, number, length));
    }
    let mut deeds = Deeds::default();
    while let Some(done) = playing.join_next().await {
        deeds.add(done??);
    }
    end.cancel();
    let mut judgement = Judgement::default();
    while let Some(judged) = calling.join_next().await {
        judgement.add(judged?);
    }
    judgement.forgive(&deeds.slow);
    watching.stop().await;
    let left = stage.engine.shutdown(Duration::from_secs(10)).await;
    stage.ear.close();
    ear.await?;

    let took = began.elapsed().as_secs_f64();
    let grown = memory()?.saturating_sub(memory_before);
    let report = json!({
        "seconds": rounded(took),
        "clients": clients,
        "files": PLACES,
        "calls": judgement.report(took),
        "script": deeds.report(),
        "events": stage.ear.report(),
        "left_running": left,
        "memory_growth_mb": rounded(as_f64(usize::try_from(grown)?) / 1_048_576.0),
    });
    serde_json::to_writer_pretty(std::io::stdout(), &report)?;
    check(&judgement, &deeds, &stage.ear)?;
    ensure!(left == 0, "calls were left running");
    Ok(())
}

fn check(judgement: &Judgement, deeds: &Deeds, ear: &Ear) -> Result<()> {
    let few = |list: &[String]| list.iter().take(10).cloned().collect::<Vec<_>>().join("\n");
    ensure!(judgement.failures.is_empty(), "calls failed:\n{}", few(&judgement.texts()));
    ensure!(deeds.stuck.is_empty(), "files were not followed:\n{}", few(&deeds.stuck));
    ensure!(ear.missed() == 0, "the listener was too slow to tell");
    Ok(())
}

/// Writes the first generation of every file, and an engine that has them.
fn prepare(folder: &Path, clients: usize) -> Result<(Definitions, Arc<Stage>)> {
    let places: Vec<Place> = (0..PLACES).map(|number| Place::new(folder, number)).collect();
    for place in &places {
        place.write_next()?;
        place.is_live(1);
    }
    let builtins = toolsmith_builtins::all()?;
    let command = CommandMaker::new(Children::default(), &[].into(), Overlay::default());
    let makers = Makers::new()
        .with(Arc::new(JavascriptMaker))
        .with(Arc::new(command))
        .with_handlers(builtins.iter().cloned());
    let vault = Vault::with_values([("NONE", "")], Redactor::default());
    let definitions = Definitions::open(vec![folder.to_owned()], makers, vault);
    let limits =
        LimiterConfig { max_concurrent: clients, queue_size: clients, ..LimiterConfig::default() };
    let config = EngineConfig { limits, ..EngineConfig::default() };
    let engine = Engine::builder().with_config(config).tools(builtins).build()?;
    let loaded = definitions.attach(&engine);
    ensure!(loaded.added.len() == PLACES, "{:?}", loaded.problems);
    Ok((definitions, Arc::new(Stage { engine, places, ear: Ear::default() })))
}

/// Returns the middle, the 99th of a hundred and the largest, in milliseconds.
fn spread(mut figures: Vec<Duration>) -> Value {
    figures.sort();
    let at = |share: usize| {
        let index = (figures.len() * share / 100).min(figures.len().saturating_sub(1));
        figures.get(index).map(|figure| rounded(figure.as_secs_f64() * 1e3))
    };
    json!({ "p50": at(50), "p99": at(99), "max": at(100) })
}
