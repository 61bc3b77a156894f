//! Rounds: the sides take turns, because the machine has other work.

use std::{io::Write as _, process::Stdio, thread, time::Duration};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{
    options::Options,
    sides::{Side, Sides},
};
use crate::{
    load::{Plan, Report},
    machine::{Cores, Place, median, rounded, this_program},
};

/// How often, and how long apart, a server is called until its tools are there.
const ATTEMPTS: usize = 20;
const PAUSE: Duration = Duration::from_millis(250);

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
    /// Nothing when the other side did not get through.
    pub(super) theirs: Option<Figures>,
    pub(super) calls_ratio: Option<f64>,
    pub(super) cpu_ratio: Option<f64>,
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

    /// Measures both sides; when the other one does not get through, ours alone.
    pub(super) fn play(&self, sides: &Sides, connections: usize) -> Result<Match> {
        let ours = || self.measure(&sides.ours, connections).context("toolsmith");
        let theirs = || self.measure(&sides.theirs, connections).context("the other side");
        // The first calls fill caches on either side; tools of other servers may not be there yet.
        let mut first = ours();
        for _ in 0..ATTEMPTS {
            if first.is_ok() {
                break;
            }
            thread::sleep(PAUSE);
            first = ours();
        }
        first?;
        let mut failure = theirs().err();
        let mut rounds = Vec::new();
        for round in 0..self.count {
            // Whoever goes second finds the machine warmer, so they take turns in that too.
            let is_first = round % 2 == 1;
            let early = is_first.then(ours).transpose()?;
            let other = match &failure {
                None => theirs().map_err(|error| failure = Some(error)).ok(),
                Some(_) => None,
            };
            rounds.push((early.map_or_else(ours, Ok)?, other));
        }
        if let Some(failure) = failure {
            writeln!(std::io::stderr(), "!! at {connections} connections: {failure:#}")?;
        }
        let pairs = || rounds.iter().filter_map(|(ours, theirs)| Some((ours, theirs.as_ref()?)));
        let ratio = |of: fn(&Report) -> f64| {
            let ratios: Vec<f64> = pairs().map(|(ours, theirs)| of(ours) / of(theirs)).collect();
            (ratios.len() == self.count).then(|| rounded(median(ratios)))
        };
        Ok(Match {
            ours: Figures::of(&rounds.iter().map(|(ours, _)| ours).collect::<Vec<_>>()),
            theirs: (pairs().count() == self.count)
                .then(|| Figures::of(&pairs().map(|(_, theirs)| theirs).collect::<Vec<_>>())),
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
        self.cores.go(Place::Beside)?;
        let mut load =
            this_program(&["load"])?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = load.stdin.take().context("no pipe")?;
        input.write_all(&serde_json::to_vec(&plan)?)?;
        drop(input);
        let output = load.wait_with_output()?;
        let told = String::from_utf8_lossy(&output.stderr);
        let told = told.lines().next().unwrap_or_default();
        ensure!(
            output.status.success(),
            "the load has failed at {connections} connections: {told}"
        );
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
