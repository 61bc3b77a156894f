//! The contest: who is compared with whom, and what is printed.

mod options;
mod process;
mod rounds;
mod sides;
mod start;

use std::io::Write as _;

use anyhow::Result;
use serde_json::{Map, Value, json};

use self::{
    options::Options,
    rounds::{Match, Rounds},
    sides::{Behind, Sides},
};
use crate::{
    load::Speech,
    machine::{Cores, go_first},
};

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

/// A pair of sides, and what the ratio of theirs to ours is called.
struct Game {
    /// What it is chosen by.
    word: &'static str,
    name: &'static str,
    calls: &'static str,
    cpu: &'static str,
    other: &'static str,
    behind: Behind,
    speech: Speech,
}

fn games(options: &Options) -> Vec<Game> {
    let mut games = vec![
        Game {
            word: "run_tool",
            name: "run_tool",
            calls: "run_tool_vs_axum",
            cpu: "run_tool_cpu_vs_axum",
            other: "axum",
            behind: Behind::Nothing,
            speech: Speech::RunTool,
        },
        Game {
            word: "mcp",
            name: "mcp",
            calls: "mcp_vs_rmcp",
            cpu: "mcp_cpu_vs_rmcp",
            other: "rmcp",
            behind: Behind::Nothing,
            speech: Speech::Mcp2025,
        },
        Game {
            word: "mcp",
            name: "mcp_2026_07_28",
            calls: "mcp_2026_07_28_vs_rmcp",
            cpu: "mcp_2026_07_28_cpu_vs_rmcp",
            other: "rmcp",
            behind: Behind::Nothing,
            speech: Speech::Mcp2026,
        },
    ];
    if options.proxy.is_some() {
        let of_http = Game {
            word: "upstream",
            name: "upstream",
            calls: "upstream_vs_mcp_proxy",
            cpu: "upstream_cpu_vs_mcp_proxy",
            other: "mcp_proxy",
            behind: Behind::Http,
            speech: Speech::Mcp2025,
        };
        let of_stdio = Game {
            name: "upstream_stdio",
            calls: "upstream_stdio_vs_mcp_proxy",
            cpu: "upstream_stdio_cpu_vs_mcp_proxy",
            behind: Behind::Stdio,
            ..of_http
        };
        games.extend([of_http, of_stdio]);
    }
    games
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
