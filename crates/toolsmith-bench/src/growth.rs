//! What 100,000 tools cost: memory, start, and the price of one call among them.

use std::{process::Command, time::Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolsmith_engine::Engine;

use crate::{
    arguments::Arguments,
    bursts,
    machine::{median, memory, rounded},
};

const MANY: usize = 100_000;

pub(crate) fn bench(rounds: usize) -> Result<Value> {
    let registered = child(&["register", "--tools", &MANY.to_string()])?;
    let registered: Value = serde_json::from_str(&registered)?;
    let (ratio, by) = match ratio_of_instructions() {
        Ok(ratio) => (ratio, "instructions"),
        Err(_) => (ratio_of_times(rounds)?, "time"),
    };
    Ok(json!({
        "tools_100k_vs_10": rounded(ratio),
        "tools_100k_vs_10_by": by,
        "register_100k_ms": registered["register_ms"],
        "list_page_us": registered["list_page_us"],
        "rss_per_tool_bytes": registered["rss_per_tool_bytes"],
    }))
}

/// `register`: prints how long registering takes and how much memory the tools hold.
pub(crate) fn register(arguments: &Arguments) -> Result<()> {
    let tools = arguments.number("tools", MANY)?;
    let engine = bursts::engine(0, None)?;
    let before = memory()?;
    let start = Instant::now();
    let fillers: Result<Vec<_>, _> = (0..tools).map(bursts::filler).collect();
    engine.registry().register_many(fillers?, toolsmith_engine::registry::OnClash::Refuse)?;
    let took = start.elapsed();
    let held = memory()?.saturating_sub(before);
    let start = Instant::now();
    let pages = 1_000;
    for number in 0..pages {
        let after = format!("catalogue_search_{}", number * tools / pages);
        let filter = toolsmith_engine::registry::Filter::default();
        std::hint::black_box(engine.registry().page(&filter, Some(&after), 50));
    }
    let page = crate::machine::nanos_each(start.elapsed(), pages) / 1_000.0;
    let figures = json!({
        "list_page_us": rounded(page),
        "register_ms": rounded(took.as_secs_f64() * 1_000.0),
        "rss_per_tool_bytes": held / u64::try_from(tools.max(1))?,
    });
    serde_json::to_writer(std::io::stdout(), &figures)?;
    Ok(())
}

/// `count-calls`: makes calls among many tools, for a tool that counts instructions.
pub(crate) fn count_calls(arguments: &Arguments) -> Result<()> {
    let (tools, calls) = (arguments.number("tools", 10)?, arguments.number("calls", 1_000)?);
    let sink = std::sync::Arc::new(toolsmith_testing::sink::CountingSink::new());
    let engine = bursts::engine(tools, Some(sink))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    // The first call compiles the schema; what follows is the same again and again.
    runtime.block_on(bursts::time_calls(&engine, 100));
    measured_calls(&runtime, &engine, calls);
    Ok(())
}

/// The part whose instructions are counted; callgrind finds it by its name.
#[inline(never)]
fn measured_calls(runtime: &Runtime, engine: &Engine, calls: usize) {
    std::hint::black_box(runtime.block_on(bursts::time_calls(engine, calls)));
}

/// Counts the instructions of calls among ten and among many tools, with callgrind.
fn ratio_of_instructions() -> Result<f64> {
    Ok(instructions(MANY)? / instructions(10)?)
}

fn instructions(tools: usize) -> Result<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*measured_calls*")
        .arg(std::env::current_exe()?)
        .args(["count-calls", "--tools", &tools.to_string(), "--calls", "5000"])
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find_map(|line| line.split("Collected :").nth(1));
    let count = line.and_then(|count| count.trim().parse().ok()).filter(|count| *count > 0.0);
    count.context("callgrind did not say how many instructions it collected")
}

fn ratio_of_times(rounds: usize) -> Result<f64> {
    let sink = || std::sync::Arc::new(toolsmith_testing::sink::CountingSink::new());
    let (few, many) = (bursts::engine(9, Some(sink()))?, bursts::engine(MANY, Some(sink()))?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let ratios = (0..rounds).map(|_| {
        let many = runtime.block_on(bursts::time_calls(&many, 4_000));
        many / runtime.block_on(bursts::time_calls(&few, 4_000))
    });
    Ok(median(ratios.collect()))
}

fn child(words: &[&str]) -> Result<String> {
    let output = Command::new(std::env::current_exe()?).args(words).output()?;
    Ok(String::from_utf8(output.stdout)?)
}
