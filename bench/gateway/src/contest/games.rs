//! The pairs that are compared.

use super::{options::Options, sides::Behind};
use crate::load::Speech;

/// A pair of sides, and what the ratio of theirs to ours is called.
pub(super) struct Game {
    /// What it is chosen by.
    pub(super) word: &'static str,
    pub(super) name: &'static str,
    pub(super) calls: &'static str,
    pub(super) cpu: &'static str,
    pub(super) other: &'static str,
    pub(super) behind: Behind,
    pub(super) speech: Speech,
}

/// Returns the pairs that can be compared.
pub(super) fn games(options: &Options) -> Vec<Game> {
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
