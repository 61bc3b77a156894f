//! Compares the gateway with a bare axum handler, a plain MCP server and an MCP proxy.
//!
//! Run through `cargo xtask bench gateway`. The other words are the parts of the contest, each a
//! process of its own.

mod contest;
mod load;
mod machine;
mod servers;

use anyhow::{Result, bail};

const USAGE: &str = "\
bench-gateway CHORE

  bench-gateway --toolsmith PATH [--proxy PATH] [--without REASON] [--only WORD] [--quick]
                    prints the figures of all sides as JSON
  serve-axum        the bare handler
  serve-rmcp        the plain MCP server on streamable HTTP
  speak-rmcp CORE PRIORITY
                    the plain MCP server on standard streams, on a core
  load              makes calls as a plan on standard input says
";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["bench-gateway", rest @ ..] => contest::bench(rest),
        ["serve-axum"] => servers::bare::serve(),
        ["serve-rmcp"] => servers::library::serve(),
        ["speak-rmcp", core, priority] => servers::library::speak(core.parse()?, priority),
        ["load"] => load::run(),
        _ => bail!("{USAGE}"),
    }
}
