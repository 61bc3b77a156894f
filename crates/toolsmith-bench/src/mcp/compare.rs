//! Measures both sides in turn.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::{ROUNDS, Way, bare::Bare, ours::Ours};
use crate::machine::{ProcessorTime, as_f64, median};

/// What every call says, and what comes back.
const TEXT: &str = "hello";

/// Both sides of a comparison.
pub(super) struct Sides {
    ours: Ours,
    bare: Bare,
}

/// The processor time of a call in microseconds, and the medians of the ratios of the rounds.
pub(super) struct Compared {
    pub(super) ours: f64,
    /// Of ours, that of the calling thread.
    pub(super) caller: f64,
    pub(super) bare: f64,
    pub(super) ratio: f64,
    pub(super) caller_ratio: f64,
}

/// What a call cost in microseconds, in all threads and in the calling one.
struct Cost {
    all: f64,
    caller: f64,
}

impl Sides {
    pub(super) async fn start(way: &Way) -> Result<Self> {
        Ok(Self { ours: Ours::start(way).await?, bare: Bare::start(way).await? })
    }

    pub(super) async fn compare(self, calls: usize) -> Result<Compared> {
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
