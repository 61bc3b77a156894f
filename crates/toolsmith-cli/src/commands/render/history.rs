//! Calls and results, one a line, written as they come.

use std::{
    io::{self, BufRead, Write},
    process::ExitCode,
};

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};
use toolsmith::models::Toolset;
use toolsmith_dialects::{Dialect, ShownCall, ShownResult, render_calls, render_results};

use crate::{Session, exit::UsageError, output::Pipe, wording::json_mistake};

/// What the lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Calls of a model.
    Calls,
    /// What came of calls.
    Results,
}

/// A line of calls: one, or the document of `toolsmith parse --json`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a call such as {\"name\": \"echo\", \"arguments\": {}}")]
enum Calls {
    Many { calls: Vec<Call> },
    One(Call),
}

#[derive(Deserialize)]
struct Call {
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// A line of results: one, or the document of `toolsmith batch --json`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an outcome such as `toolsmith run --json` prints")]
enum Results {
    Many { outcomes: Vec<Done> },
    One(Done),
}

/// As much of an outcome as a model is told.
#[derive(Deserialize)]
struct Done {
    /// The identifier that the model gave the call; the outcome's own when there is none.
    #[serde(alias = "call_id")]
    id: Option<String>,
    tool_name: String,
    #[serde(default)]
    output: Value,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    message: String,
}

pub(super) fn run(
    session: &Session,
    tools: &Toolset,
    dialect: Dialect,
    kind: Kind,
) -> Result<ExitCode> {
    let mut pipe = Pipe::to_stdout();
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let text = match kind {
            Kind::Calls => calls(tools, dialect, &line),
            Kind::Results => results(dialect, &line),
        };
        let text = text.map_err(|error| {
            UsageError::new(format!("line {}: {}", number + 1, json_mistake(&error)))
        })?;
        let text = session.redactor.text(&text);
        let written = writeln!(pipe, "{}", text.trim_end()).and_then(|()| pipe.flush());
        if pipe.has_reader_left() {
            break;
        }
        written?;
    }
    Ok(ExitCode::SUCCESS)
}

fn calls(tools: &Toolset, dialect: Dialect, line: &str) -> serde_json::Result<String> {
    let calls = match serde_json::from_str(line)? {
        Calls::Many { calls } => calls,
        Calls::One(call) => vec![call],
    };
    let none = json!({});
    let shown: Vec<ShownCall<'_>> = calls
        .iter()
        .map(|call| ShownCall {
            id: call.id.as_deref(),
            name: &call.name,
            arguments: if call.arguments.is_null() { &none } else { &call.arguments },
        })
        .collect();
    Ok(render_calls(dialect, &shown, tools.tools()))
}

fn results(dialect: Dialect, line: &str) -> serde_json::Result<String> {
    let done = match serde_json::from_str(line)? {
        Results::Many { outcomes } => outcomes,
        Results::One(done) => vec![done],
    };
    let shown: Vec<ShownResult<'_>> = done
        .iter()
        .map(|done| ShownResult {
            id: done.id.as_deref(),
            name: &done.tool_name,
            result: match &done.error {
                Some(failure) => Err(&failure.message),
                None => Ok(&done.output),
            },
        })
        .collect();
    Ok(render_results(dialect, &shown))
}
