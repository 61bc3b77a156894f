//! Calls through an MCP server: our processor time beside that of the bare library.
//!
//! Both sides call the same tool of the same server with the same input, in turn, on one thread, and
//! take the output as a value. Ours goes through the whole line of a call, with records in a store.
//! Its figure holds the processor time of all our threads; that of the calling thread is shown apart,
//! because the rest is the writer of the store.

mod bare;
mod compare;
mod echo;
mod ours;
mod web;

use anyhow::Result;
use serde_json::{Value, json};

pub(crate) use self::echo::serve;
use self::{compare::Sides, web::Web};
use crate::{
    arguments::Arguments,
    machine::{rounded, stay_on_one_processor},
};

/// How often both sides are measured, in turn: the machine may have other work.
const ROUNDS: usize = 15;

/// How a server is reached.
enum Way {
    /// A program of its own, by standard input and output; it notes its starts in the file.
    Program { starts: String },
    /// Streamable HTTP at this address.
    Address(String),
}

/// Measures both sides on both transports.
pub(crate) fn bench(arguments: &Arguments) -> Result<()> {
    let calls = arguments.number("calls", 1_000)?;
    stay_on_one_processor()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(measure(calls))?;
    serde_json::to_writer_pretty(std::io::stdout(), &report)?;
    Ok(())
}

async fn measure(calls: usize) -> Result<Value> {
    let starts = tempfile::NamedTempFile::new()?;
    let file = starts.path().display().to_string();
    let stdio = Sides::start(&Way::Program { starts: file }).await?.compare(calls).await?;
    let started = std::fs::read_to_string(starts.path())?.lines().count();
    let web = Web::start()?;
    let http = Sides::start(&Way::Address(web.address.clone())).await?.compare(calls).await?;
    Ok(json!({
        "calls": calls * ROUNDS,
        // Each side has one server of its own.
        "processes_started": started - 1,
        "cpu_us": rounded(stdio.ours),
        "caller_cpu_us": rounded(stdio.caller),
        "rmcp_cpu_us": rounded(stdio.bare),
        "cpu_vs_rmcp": rounded(stdio.ratio),
        "caller_cpu_vs_rmcp": rounded(stdio.caller_ratio),
        "http_cpu_us": rounded(http.ours),
        "http_caller_cpu_us": rounded(http.caller),
        "http_rmcp_cpu_us": rounded(http.bare),
        "http_cpu_vs_rmcp": rounded(http.ratio),
        "http_caller_cpu_vs_rmcp": rounded(http.caller_ratio),
    }))
}
