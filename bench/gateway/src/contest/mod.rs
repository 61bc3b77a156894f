//! The contest: who is compared with whom, and what is printed.

mod games;
mod options;
mod process;
mod rounds;
mod sides;
mod start;

use std::io::Write as _;

use anyhow::Result;
use serde_json::{Map, Value, json};

use self::{
    games::{Game, games},
    options::Options,
    rounds::{Match, Rounds},
    sides::Sides,
};
use crate::machine::{Cores, go_first};

/// How many connections call at once.
const CONNECTIONS: [usize; 2] = [32, 256];

/// What each figure should be.
const BOUNDS: [(&str, &str); 7] = [
    ("run_tool_vs_axum", ">= 0.70"),
    ("run_tool_cpu_vs_axum", "<= 1.8"),
    ("mcp_vs_rmcp", ">= 1.3"),
    ("upstream_vs_mcp_proxy", ">= 1.5"),
    ("upstream_cpu_vs_mcp_proxy", "<= 0.5"),
    ("idle_rss_mb", "< 25"),
    ("start_ms", "< 30"),
];

/// Runs the contest and prints its figures as JSON.
pub(crate) fn bench(words: &[&str]) -> Result<()> {
    let options = Options::parse(words)?;
    let cores = Cores::take()?;
    let goes_first = go_first();
    let mut figures = Figures::default();
    if options.wants("start") {
        let started = start::measure(&options, cores)?;
        figures.top.extend(started);
    }
    let rounds = Rounds::of(&options, cores);
    for game in games(&options) {
        if options.wants(game.word) {
            figures.play(&game, &options, &rounds)?;
        }
    }
    let report = figures.report(&options, goes_first);
    let text = serde_json::to_string_pretty(&report)?;
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

/// What has been found out.
#[derive(Default)]
struct Figures {
    top: Map<String, Value>,
    sides: Map<String, Value>,
}

impl Figures {
    fn play(&mut self, game: &Game, options: &Options, rounds: &Rounds) -> Result<()> {
        let sides = Sides::start(options, rounds.cores, game)?;
        let (mut calls, mut cpu, mut shown) = (Map::new(), Map::new(), Map::new());
        for connections in CONNECTIONS {
            let Match { ours, theirs, calls_ratio, cpu_ratio } =
                rounds.play(&sides, connections)?;
            let key = connections.to_string();
            calls.insert(key.clone(), json!(calls_ratio));
            cpu.insert(key.clone(), json!(cpu_ratio));
            shown.insert(key, json!({ "toolsmith": ours, game.other: theirs }));
        }
        self.top.insert(game.calls.to_owned(), calls.into());
        self.top.insert(game.cpu.to_owned(), cpu.into());
        self.sides.insert(game.name.to_owned(), shown.into());
        Ok(())
    }

    fn report(mut self, options: &Options, goes_first: bool) -> Value {
        let bounds: Map<String, Value> =
            BOUNDS.iter().map(|(name, bound)| ((*name).to_owned(), json!(bound))).collect();
        self.top.insert("bounds".to_owned(), bounds.into());
        self.top.insert("sides".to_owned(), self.sides.into());
        self.top.insert("raised_priority".to_owned(), json!(goes_first));
        if let Some(reason) = &options.without {
            self.top.insert("mcp_proxy".to_owned(), json!(reason));
        }
        self.top.into()
    }
}
