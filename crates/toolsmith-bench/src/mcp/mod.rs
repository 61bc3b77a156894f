//! Calls through an MCP server: our processor time beside that of the bare library.
//!
//! Both sides call the same tool of the same server with the same input, in turn, on one thread, and
//! take the output as a value. Ours goes through the whole line of a call, with records in a store,
//! and its figure holds the processor time of all our threads, the writer of the store included.

mod bare;
mod echo;
mod ours;
mod web;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

pub(crate) use self::echo::serve;
use self::{bare::Bare, ours::Ours, web::Web};
use crate::{
    arguments::Arguments,
    machine::{as_f64, median, processor_time, rounded, stay_on_one_processor},
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
        "rmcp_cpu_us": rounded(stdio.bare),
        "cpu_vs_rmcp": rounded(stdio.ratio),
        "http_cpu_us": rounded(http.ours),
        "http_rmcp_cpu_us": rounded(http.bare),
        "http_cpu_vs_rmcp": rounded(http.ratio),
    }))
}

/// Both sides of a comparison.
struct Sides {
    ours: Ours,
    bare: Bare,
}

/// The processor time of a call in microseconds, and the median of the ratios of the rounds.
struct Compared {
    ours: f64,
    bare: f64,
    ratio: f64,
}

impl Sides {
    async fn start(way: &Way) -> Result<Self> {
        Ok(Self { ours: Ours::start(way).await?, bare: Bare::start(way).await? })
    }

    async fn compare(self, calls: usize) -> Result<Compared> {
        // The first calls fill caches on either side.
        self.ours(calls).await?;
        self.bare(calls).await?;
        let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            // Whoever goes second finds the machine warmer, so they take turns in that too.
            let (mine, other) = if round % 2 == 0 {
                let other = self.bare(calls).await?;
                (self.ours(calls).await?, other)
            } else {
                (self.ours(calls).await?, self.bare(calls).await?)
            };
            ratios.push(mine / other);
            ours.push(mine);
            bare.push(other);
        }
        self.ours.end().await;
        Ok(Compared { ours: median(ours), bare: median(bare), ratio: median(ratios) })
    }

    /// Returns the microseconds that our calls cost, until their records are written.
    async fn ours(&self, calls: usize) -> Result<f64> {
        let before = processor_time();
        for _ in 0..calls {
            let output = self.ours.call(json!({ "text": TEXT })).await?;
            ensure!(output == TEXT, "{output:?}");
        }
        self.ours.flush().await;
        Ok((processor_time() - before).as_secs_f64() * 1e6 / as_f64(calls))
    }

    async fn bare(&self, calls: usize) -> Result<f64> {
        let before = processor_time();
        for _ in 0..calls {
            let output = self.bare.call(json!({ "text": TEXT })).await?;
            ensure!(output == TEXT, "{output:?}");
        }
        Ok((processor_time() - before).as_secs_f64() * 1e6 / as_f64(calls))
    }
}
