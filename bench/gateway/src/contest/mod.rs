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
    load::{Patience, Speech},
    machine::{Cores, Place, go_first},
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

/// A pair of sides, and what the ratios of ours to theirs are called.
#[derive(Clone, Copy)]
struct Game {
    /// What it is chosen by.
    word: &'static str,
    name: &'static str,
    calls: &'static str,
    cpu: &'static str,
    other: &'static str,
    behind: Behind,
    speech: Speech,
    /// Where the measured side runs.
    place: Place,
}

impl Game {
    /// Says what the load does while it waits: it sleeps where others need its core.
    fn patience(&self) -> Patience {
        match (self.place, self.behind) {
            (Place::Apart, Behind::Nothing) => Patience::Spins,
            _ => Patience::Sleeps,
        }
    }
}

/// The bare handler, on both cores as a server runs, and on one.
const RUN_TOOL: Game = Game {
    word: "run_tool",
    name: "run_tool",
    calls: "run_tool_vs_axum",
    cpu: "run_tool_cpu_vs_axum",
    other: "axum",
    behind: Behind::Nothing,
    speech: Speech::RunTool,
    place: Place::Both,
};
const RUN_TOOL_ON_ONE_CORE: Game = Game {
    name: "run_tool_on_one_core",
    calls: "run_tool_on_one_core_vs_axum",
    cpu: "run_tool_on_one_core_cpu_vs_axum",
    place: Place::Apart,
    ..RUN_TOOL
};

/// The plain MCP server, in both eras of the protocol.
const MCP: Game = Game {
    word: "mcp",
    name: "mcp",
    calls: "mcp_vs_rmcp",
    cpu: "mcp_cpu_vs_rmcp",
    other: "rmcp",
    speech: Speech::Mcp2025,
    ..RUN_TOOL
};
const MCP_ON_ONE_CORE: Game = Game {
    name: "mcp_on_one_core",
    calls: "mcp_on_one_core_vs_rmcp",
    cpu: "mcp_on_one_core_cpu_vs_rmcp",
    place: Place::Apart,
    ..MCP
};
const MCP_ALONE: Game = Game {
    name: "mcp_2026_07_28",
    calls: "mcp_2026_07_28_vs_rmcp",
    cpu: "mcp_2026_07_28_cpu_vs_rmcp",
    speech: Speech::Mcp2026,
    ..MCP
};

/// The proxy, before a server on HTTP and before one on standard streams.
const UPSTREAM: Game = Game {
    word: "upstream",
    name: "upstream",
    calls: "upstream_vs_mcp_proxy",
    cpu: "upstream_cpu_vs_mcp_proxy",
    other: "mcp_proxy",
    behind: Behind::Http,
    place: Place::Apart,
    ..MCP
};
const UPSTREAM_ON_STREAMS: Game = Game {
    name: "upstream_stdio",
    calls: "upstream_stdio_vs_mcp_proxy",
    cpu: "upstream_stdio_cpu_vs_mcp_proxy",
    behind: Behind::Stdio,
    ..UPSTREAM
};

fn games(options: &Options) -> Vec<Game> {
    let mut games = vec![RUN_TOOL, RUN_TOOL_ON_ONE_CORE, MCP, MCP_ON_ONE_CORE, MCP_ALONE];
    if options.proxy.is_some() {
        games.extend([UPSTREAM, UPSTREAM_ON_STREAMS]);
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
