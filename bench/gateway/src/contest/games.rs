//! The pairs that are compared.

use super::{options::Options, sides::Behind};
use crate::{
    load::{Patience, Speech},
    machine::Place,
};

/// A pair of sides, and what the ratios of ours to theirs are called.
#[derive(Clone, Copy)]
pub(super) struct Game {
    /// What it is chosen by.
    pub(super) word: &'static str,
    pub(super) name: &'static str,
    pub(super) calls: &'static str,
    pub(super) cpu: &'static str,
    pub(super) other: &'static str,
    pub(super) behind: Behind,
    pub(super) speech: Speech,
    /// Where the measured side runs.
    pub(super) place: Place,
}

impl Game {
    /// Says what the load does while it waits: it sleeps where others need its core.
    pub(super) fn patience(&self) -> Patience {
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

/// Returns the pairs that can be compared.
pub(super) fn games(options: &Options) -> Vec<Game> {
    let mut games = vec![RUN_TOOL, RUN_TOOL_ON_ONE_CORE, MCP, MCP_ON_ONE_CORE, MCP_ALONE];
    if options.proxy.is_some() {
        games.extend([UPSTREAM, UPSTREAM_ON_STREAMS]);
    }
    games
}
