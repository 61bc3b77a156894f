//! Calls through an MCP server: our processor time beside that of the bare library.
//!
//! Both sides call the same tool of the same server with the same input, in turn, on one thread, and
//! take the output as a value. Ours goes through the whole line of a call, with records in a store.
//! Its figure holds the processor time of all our threads; that of the calling thread is shown apart,
//! because the rest is the writer of the store.

mod bare;
mod echo;
mod ours;
mod web;

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

pub(crate) use self::echo::serve;
use self::{bare::Bare, ours::Ours, web::Web};
use crate::{
    arguments::Arguments,
    machine::{ProcessorTime, as_f64, median, rounded, stay_on_one_processor},
};

/// How often both sides are measured, in turn: the machine may have other work.
const ROUNDS: usize = 15;

/// What every call says, and what comes back.
const TEXT: &str = "hello";

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

/// Both sides of a comparison.
struct Sides {
    ours: Ours,
    bare: Bare,
}

/// The processor time of a call in microseconds, and the medians of the ratios of the rounds.
struct Compared {
    ours: f64,
    /// Of ours, that of the calling thread.
    caller: f64,
    bare: f64,
    ratio: f64,
    caller_ratio: f64,
}

/// What a call cost in microseconds, in all threads and in the calling one.
struct Cost {
    all: f64,
    caller: f64,
}

impl Sides {
    async fn start(way: &Way) -> Result<Self> {
        Ok(Self { ours: Ours::start(way).await?, bare: Bare::start(way).await? })
    }

    async fn compare(self, calls: usize) -> Result<Compared> {
        // The first calls fill caches on either side.
        self.ours(calls).await?;
        self.bare(calls).await?;
        let mut rounds = Vec::new();
        for round in 0..ROUNDS {
            // Whoever goes second finds the machine warmer, so they take turns in that too.
            rounds.push(if round % 2 == 0 {
                let other = self.bare(calls).await?;
                (self.ours(calls).await?, other.all)
            } else {
                (self.ours(calls).await?, self.bare(calls).await?.all)
            });
        }
        self.ours.end().await;
        let middle = |figure: fn(&(Cost, f64)) -> f64| median(rounds.iter().map(figure).collect());
        Ok(Compared {
            ours: middle(|(ours, _)| ours.all),
            caller: middle(|(ours, _)| ours.caller),
            bare: middle(|(_, bare)| *bare),
            ratio: middle(|(ours, bare)| ours.all / bare),
            caller_ratio: middle(|(ours, bare)| ours.caller / bare),
        })
    }

    /// Returns what our calls cost, until their records are written.
    async fn ours(&self, calls: usize) -> Result<Cost> {
        let before = ProcessorTime::now();
        for _ in 0..calls {
            let output = self.ours.call(json!({ "text": TEXT })).await?;
            ensure!(output == TEXT, "{output:?}");
        }
        self.ours.flush().await;
        Ok(Cost::since(before, calls))
    }

    async fn bare(&self, calls: usize) -> Result<Cost> {
        let before = ProcessorTime::now();
        for _ in 0..calls {
            let output = self.bare.call(json!({ "text": TEXT })).await?;
            ensure!(output == TEXT, "{output:?}");
        }
        Ok(Cost::since(before, calls))
    }
}

impl Cost {
    fn since(before: ProcessorTime, calls: usize) -> Self {
        let now = ProcessorTime::now();
        let each = |took: Duration| took.as_secs_f64() * 1e6 / as_f64(calls);
        Self {
            all: each(now.process.saturating_sub(before.process)),
            caller: each(now.thread.saturating_sub(before.thread)),
        }
    }
}
