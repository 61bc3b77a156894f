//! How long a search takes over 1,000 to 100,000 tools, and what the index costs.
//!
//! The tools are made of the words of the public sets, each as often as it is there, so that
//! frequent words are as frequent as in life. The questions are the real ones.

use std::{hint::black_box, time::Instant};

use anyhow::Result;
use serde_json::{Map, Value, json};
use toolsmith_core::Tool;
use toolsmith_engine::{
    Engine,
    registry::{Filter, OnClash},
};

use super::{folder, made::Maker};
use crate::machine::{as_f64, memory, rounded};

const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const QUESTIONS: usize = 2_000;
const MORE: u32 = 500;

/// `bench-search`: prints the figures of each size as JSON.
pub(crate) fn bench() -> Result<()> {
    let mut maker = Maker::read(&folder()?)?;
    let questions = maker.questions(QUESTIONS);
    let mut figures = Map::new();
    for size in SIZES {
        figures.insert(format!("tools_{size}"), measure(&mut maker, &questions, size)?);
    }
    serde_json::to_writer_pretty(std::io::stdout(), &figures)?;
    Ok(())
}

fn measure(maker: &mut Maker, questions: &[String], size: u32) -> Result<Value> {
    let engine = Engine::builder().build()?;
    let registry = engine.registry();
    let tools: Result<Vec<Tool>, _> = (0..size).map(|number| maker.make().tool(number)).collect();
    registry.register_many(tools?, OnClash::Refuse)?;
    let search = |question: &str| {
        black_box(registry.search(question, &Filter::default(), 10));
    };
    let before = memory()?;
    let first = times([()], |()| search("weather"));
    let held = memory()?.saturating_sub(before);
    let searches = times(questions, |question| search(question));
    // Of three runs of a question the best is what it costs where nobody else runs.
    let mut alone: Vec<f64> = questions
        .iter()
        .filter_map(|question| times(0..3, |_| search(question)).first().copied())
        .collect();
    alone.sort_by(f64::total_cmp);
    let more: Result<Vec<Tool>, _> =
        (size..size + MORE).map(|number| maker.make().tool(number)).collect();
    let puts = times(more?, |tool| registry.register(tool).unwrap_or_default());
    Ok(json!({
        "first_search_ms": rounded(at(&first, 500) / 1_000.0),
        "search_p50_us": rounded(at(&searches, 500)),
        "search_p99_us": rounded(at(&searches, 990)),
        "search_p99_alone_us": rounded(at(&alone, 990)),
        "register_one_p50_us": rounded(at(&puts, 500)),
        "register_one_p99_us": rounded(at(&puts, 990)),
        "index_bytes_a_tool": rounded(as_f64(usize::try_from(held)?) / f64::from(size)),
    }))
}

/// Returns how long each run took, in microseconds, the shortest first.
fn times<T>(of: impl IntoIterator<Item = T>, mut run: impl FnMut(T)) -> Vec<f64> {
    let runs = of.into_iter().map(|one| {
        let start = Instant::now();
        run(one);
        start.elapsed().as_secs_f64() * 1e6
    });
    let mut times: Vec<f64> = runs.collect();
    times.sort_by(f64::total_cmp);
    times
}

fn at(times: &[f64], thousandth: usize) -> f64 {
    times.get(times.len() * thousandth / 1_000).copied().unwrap_or_default()
}
