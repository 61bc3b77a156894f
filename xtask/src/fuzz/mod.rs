//! Fuzzing: builds the targets of `fuzz/`, runs them for a bounded time, and tells what they found.

mod build;
mod plan;
mod run;
mod summary;

use std::{fs, path::Path, process::ExitCode};

use anyhow::Context as _;

use plan::Finds;
pub(crate) use plan::Plan;
use run::Target;
use summary::Outcome;

/// Runs the chosen targets at once; the report ends as that of a test program does.
pub(crate) fn run(root: &Path, plan: &Plan) -> anyhow::Result<ExitCode> {
    let built = build::targets(root)?;
    let targets = plan
        .targets
        .iter()
        .map(|name| Target::new(root, &built, name))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let running = targets
        .iter()
        .map(|target| target.start(plan.seconds))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut outcomes = Vec::new();
    for (target, mut child) in targets.iter().zip(running) {
        let status = child.wait().context("a target could not be waited for")?;
        let log = fs::read(&target.log).unwrap_or_default();
        outcomes.push(Outcome::new(target, status, &String::from_utf8_lossy(&log)));
    }
    if plan.finds == Finds::Merge {
        for target in &targets {
            target.merge()?;
        }
    }
    crate::say(&mut std::io::stdout(), &summary::text(&outcomes));
    let is_good = outcomes.iter().all(Outcome::is_good);
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
