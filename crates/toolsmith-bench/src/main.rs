//! Measures, judges and soaks Toolsmith: run through `cargo xtask bench`, `eval` and `soak`.

mod arguments;
mod bursts;
mod definitions;
mod engine;
mod growth;
mod load;
mod machine;
mod mcp;
mod records;
mod reloads;
mod search;
mod services;
mod soak;
mod start;
mod threads;

use anyhow::{Result, bail};

use arguments::Arguments;

const USAGE: &str = "\
toolsmith-bench CHORE [--option VALUE]…

  bench-engine [--quick] [--part NAME]   prints the figures of the engine as JSON
  bench-definitions [--files N]          prints how long definition files take, as JSON
  bench-mcp    [--calls N]               prints what a call through an MCP server costs, as JSON
  bench-services [--calls N] [--docker-host unix://…]
                                         prints how long services take to start and to answer
  bench-search                           prints how long searches take, as JSON
  eval-search                            judges the search by public questions
  soak-engine  [--calls N] [--tasks N]   random failures under limits; every call leaves one record
  soak-definitions [--seconds N] [--clients N]
                                         calls while files change; none fails or mixes versions
  write-load   --data DIR --durability sync|batched
                                         calls without end, each return on a line; to be killed
  serve-mcp-echo [--starts FILE]         an MCP server of one tool, for bench-mcp
  register     --tools N                 prints the memory that N tools take
  count-calls  --tools N --calls N       calls one of N tools; to be run under callgrind
";

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let chore = words.next().unwrap_or_default();
    let arguments = Arguments::parse(words)?;
    match chore.as_str() {
        "bench-engine" => engine::bench(&arguments),
        "bench-definitions" => definitions::bench(&arguments),
        "bench-mcp" => mcp::bench(&arguments),
        "serve-mcp-echo" => mcp::serve(&arguments),
        "bench-services" => services::bench(&arguments),
        "bench-search" => search::bench(),
        "eval-search" => search::eval(),
        "soak-engine" => soak::soak(&arguments),
        "soak-definitions" => reloads::soak(&arguments),
        "write-load" => load::write_load(&arguments),
        "register" => growth::register(&arguments),
        "count-calls" => growth::count_calls(&arguments),
        _ => bail!("{USAGE}"),
    }
}
