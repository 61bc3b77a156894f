//! `toolsmith tools reload`: definitions are read again, here and by running processes.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Serialize;
use toolsmith_definitions::Problem;

use crate::{
    Session,
    compose::{self, Toolbox},
    config::Settings,
    exit,
    output::{Colour, harmless},
    wording::counted,
};

#[derive(Serialize)]
struct Report {
    tools: usize,
    groups: usize,
    problems: Vec<Problem>,
}

pub(super) fn run(session: &Session, settings: &Settings) -> Result<ExitCode> {
    let loaded = Toolbox::open(session, settings)?.definitions().load();
    compose::switches(session, settings)?
        .ring()
        .context("cannot tell running processes to reload")?;
    let report = Report {
        tools: loaded.tools.len(),
        groups: loaded.groups.len(),
        problems: loaded.problems,
    };
    session.show(&report, |colour| report.text(colour))?;
    Ok(if report.problems.is_empty() { ExitCode::SUCCESS } else { exit::USAGE.into() })
}

impl Report {
    fn text(&self, colour: Colour) -> String {
        let problems = self.problems.iter().map(|problem| {
            format!("{} {}\n", colour.red("problem"), harmless(&problem.to_string()))
        });
        let tools = counted(self.tools as u64, "tool");
        let sum = format!("{tools} defined; running processes read them again now\n");
        problems.chain([sum]).collect()
    }
}
