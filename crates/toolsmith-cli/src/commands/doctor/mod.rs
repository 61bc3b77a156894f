//! `toolsmith doctor`: what is there, what is missing, what is broken.
//!
//! Each check is a small function that returns what it found. They run beside each other, and one
//! that does not answer in time is told as such.

mod check;
mod configured;
mod engine;
mod isolation;
mod keys;
mod network;
mod program;
mod programs;
mod storage;

use std::{process::ExitCode, sync::Arc};

use anyhow::Result;
use serde::Serialize;

use self::check::{Check, Status};
use crate::{
    Session,
    args::Doctor,
    config::{Environment, Settings},
    exit,
    output::{Colour, one_line},
    table::Table,
};

/// What the checks look at.
#[derive(Clone, Debug)]
struct Patient {
    settings: Arc<Settings>,
    environment: Environment,
    is_online: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    checks: Vec<Check>,
}

/// Examines everything, and says what it would take to have more.
pub(crate) fn run(session: &Session, wanted: &Doctor) -> Result<ExitCode> {
    let (configuration, settings) = configured::configuration(session);
    let patient = Patient {
        settings: Arc::new(settings),
        environment: session.environment.clone(),
        is_online: wanted.online,
    };
    let mut jobs = programs::jobs(&patient);
    jobs.extend(engine::jobs(&patient));
    jobs.extend(isolation::jobs(&patient));
    jobs.extend(keys::jobs(&patient));
    jobs.extend(storage::jobs(session, &patient));
    jobs.extend(configured::jobs(session, &patient));
    jobs.extend(network::jobs(&patient));
    let mut report = Report { checks: vec![configuration] };
    report.checks.extend(check::run_all(jobs));
    session.show(&report, |colour| report.text(colour))?;
    Ok(if report.is_well() { ExitCode::SUCCESS } else { exit::FAILURE.into() })
}

impl Report {
    fn is_well(&self) -> bool {
        self.checks.iter().all(|check| check.status != Status::Broken)
    }

    fn text(&self, colour: Colour) -> String {
        let mut table = Table::new(&["STATUS", "CHECK", "FOUND"]);
        for check in &self.checks {
            table.row([check.status.as_str(), &check.name, &check.detail]);
        }
        let mut text = table.render(colour);
        for status in [Status::Broken, Status::Missing] {
            for check in self.checks.iter().filter(|check| check.status == status) {
                text.push_str(&check.advice(colour));
            }
        }
        let (broken, missing) = (self.count(Status::Broken), self.count(Status::Missing));
        let sum = match (broken, missing) {
            (0, 0) => "Everything is there.".to_owned(),
            (0, missing) => format!("Nothing is broken; {missing} optional missing."),
            (broken, missing) => format!("{broken} broken, {missing} optional missing."),
        };
        text.extend([format!("\n{sum}\n")]);
        text
    }

    fn count(&self, status: Status) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }
}

impl Check {
    fn advice(&self, colour: Colour) -> String {
        let word = match self.status {
            Status::Broken => colour.red("broken"),
            _ => colour.bold("missing"),
        };
        let mut text = format!("\n{word} {}", self.name);
        if !self.enables.is_empty() {
            text.extend([format!("\n  for: {}", one_line(&self.enables))]);
        }
        if !self.how.is_empty() {
            text.extend([format!("\n  how: {}", one_line(&self.how))]);
        }
        text + "\n"
    }
}
