//! Rounds: the sides take turns, because the machine has other work.

use std::{io::Write as _, process::Stdio, time::Duration};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{
    options::Options,
    sides::{Side, Sides},
};
use crate::{
    load::{Plan, Report},
    machine::{Cores, median, rounded, stay_on, this_program},
};

/// How the sides are measured.
pub(super) struct Rounds {
    pub(super) cores: Cores,
    count: usize,
    warm_up: Duration,
    measured: Duration,
}

/// What came of the rounds: medians of each side, and medians of the ratios of the rounds.
pub(super) struct Match {
    pub(super) ours: Figures,
    pub(super) theirs: Figures,
    pub(super) calls_ratio: f64,
    pub(super) cpu_ratio: f64,
}

/// The medians of one side.
#[derive(Serialize)]
pub(super) struct Figures {
    calls_per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
    cpu_us: f64,
    load_busy: f64,
}

impl Rounds {
    pub(super) fn of(options: &Options, cores: Cores) -> Self {
        let (count, millis) = if options.is_quick { (3, 700) } else { (7, 1_500) };
        let measured = Duration::from_millis(millis);
        Self { cores, count, warm_up: Duration::from_millis(300), measured }
    }

    pub(super) fn play(&self, sides: &Sides, connections: usize) -> Result<Match> {
        // The first calls fill caches on either side.
        self.measure(&sides.ours, connections).context("toolsmith")?;
        self.measure(&sides.theirs, connections).context("the other side")?;
        let mut rounds = Vec::new();
        for round in 0..self.count {
            // Whoever goes second finds the machine warmer, so they take turns in that too.
            rounds.push(if round % 2 == 0 {
                let theirs = self.measure(&sides.theirs, connections)?;
                (self.measure(&sides.ours, connections)?, theirs)
            } else {
                let ours = self.measure(&sides.ours, connections)?;
                (ours, self.measure(&sides.theirs, connections)?)
            });
        }
        let ratio = |of: fn(&Report) -> f64| {
            rounded(median(rounds.iter().map(|(ours, theirs)| of(ours) / of(theirs)).collect()))
        };
        Ok(Match {
            ours: Figures::of(&rounds.iter().map(|(ours, _)| ours).collect::<Vec<_>>()),
            theirs: Figures::of(&rounds.iter().map(|(_, theirs)| theirs).collect::<Vec<_>>()),
            calls_ratio: ratio(|report| report.calls_per_second),
            cpu_ratio: ratio(|report| report.cpu_us),
        })
    }

    fn measure(&self, side: &Side, connections: usize) -> Result<Report> {
        let plan = Plan {
            address: side.server.address,
            path: side.path.to_owned(),
            speech: side.speech,
            tool: side.tool.to_owned(),
            connections,
            warm_up: self.warm_up,
            measured: self.measured,
            server: side.server.pid(),
            patience: side.patience,
        };
        stay_on(self.cores.others)?;
        let mut load =
            this_program(&["load"])?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = load.stdin.take().context("no pipe")?;
        input.write_all(&serde_json::to_vec(&plan)?)?;
        drop(input);
        let output = load.wait_with_output()?;
        ensure!(output.status.success(), "the load has failed at {connections} connections");
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl Figures {
    fn of(reports: &[&Report]) -> Self {
        let middle =
            |of: fn(&Report) -> f64| median(reports.iter().map(|report| of(report)).collect());
        Self {
            calls_per_second: middle(|report| report.calls_per_second),
            p50_ms: middle(|report| report.p50_ms),
            p99_ms: middle(|report| report.p99_ms),
            cpu_us: middle(|report| report.cpu_us),
            load_busy: middle(|report| report.load_busy),
        }
    }
}
