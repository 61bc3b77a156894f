//! Chores of the project: `cargo xtask help` lists them.

mod chore;
mod fuzz;
mod measure;
mod tidy;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use chore::Chore;

/// What a shell reads as "you called me wrongly", apart from "I found something".
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match Chore::parse(&words) {
        Ok(chore) => run(&chore),
        Err(message) => {
            say(&mut io::stderr(), &message);
            return ExitCode::from(USAGE);
        }
    };
    outcome.unwrap_or_else(|error| {
        say(&mut io::stderr(), &format!("{error:#}"));
        ExitCode::from(USAGE)
    })
}

fn run(chore: &Chore) -> anyhow::Result<ExitCode> {
    match chore {
        Chore::Help => {
            say(&mut io::stdout(), chore::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Chore::Tidy => {
            let report = tidy::report(&root())?;
            say(&mut io::stdout(), &report.text);
            Ok(if report.count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Chore::Fuzz(plan) => fuzz::run(&root(), plan),
        Chore::Measure(program) => measure::run(&root(), program),
        Chore::MeasureChildren(program) => measure::children(&root(), program),
        Chore::Compare(program) => measure::compare(&root(), program),
        Chore::MeasureGateway(program) => measure::gateway(&root(), program),
    }
}

/// Returns the folder of the workspace, wherever the chore was called from.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Writes a text and a line end; a reader that has gone away is no reason to fail.
fn say(to: &mut dyn Write, text: &str) {
    writeln!(to, "{}", text.trim_end()).ok();
}
