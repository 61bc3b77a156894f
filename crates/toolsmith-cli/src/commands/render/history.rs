//! Calls and results, one a line, written as they come.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Value, json};
use toolsmith::models::Toolset;
use toolsmith_core::describe;
use toolsmith_dialects::{
    Dialect, Provenance, ShownCall, ShownResult, render_calls, render_results,
};

use crate::{Session, exit::UsageError, files, output::Pipe, wording::json_mistake};

/// What the lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Calls of a model.
    Calls,
    /// What came of calls.
    Results,
}

/// A call of a model.
#[derive(Deserialize)]
struct Call {
    #[serde(default, deserialize_with = "id")]
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Value,
}

/// As much of an outcome as a model is told.
#[derive(Deserialize)]
struct Done {
    /// The identifier that the model gave the call.
    #[serde(default, deserialize_with = "id")]
    id: Option<String>,
    /// The outcome's own, which stands for it where there is none.
    #[serde(default, deserialize_with = "id")]
    call_id: Option<String>,
    tool_name: String,
    #[serde(default)]
    output: Value,
    error: Option<Failure>,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Failure {
    message: String,
}

/// An identifier: text, or a number, as some servers count.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        other => Err(D::Error::custom(format!("an id is text, not {}", describe(&other)))),
    }
}

/// How long a line may be.
const LONGEST_LINE: usize = 64 << 20;

pub(super) fn run(
    session: &Session,
    tools: &Toolset,
    dialect: Dialect,
    kind: Kind,
) -> Result<ExitCode> {
    let mut pipe = Pipe::to_stdout();
    for (number, line) in files::lines(io::stdin().lock(), LONGEST_LINE).enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let text = match kind {
            Kind::Calls => calls(tools, dialect, &line),
            Kind::Results => results(dialect, &line),
        };
        let text =
            text.map_err(|error| UsageError::new(format!("line {}: {error}", number + 1)))?;
        let text = session.redactor.text(&text);
        let written = writeln!(pipe, "{}", text.trim_end()).and_then(|()| pipe.flush());
        if pipe.has_reader_left() {
            break;
        }
        written?;
    }
    Ok(ExitCode::SUCCESS)
}

fn calls(tools: &Toolset, dialect: Dialect, line: &str) -> Result<String, String> {
    let calls: Vec<Call> = read(line, "calls")?;
    let none = json!({});
    let mut shown = Vec::with_capacity(calls.len());
    for Call { id, name, arguments } in &calls {
        let arguments = match arguments {
            Value::Null => &none,
            Value::Object(_) => arguments,
            other => {
                let found = describe(other);
                return Err(format!("`arguments` of `{name}` are not an object but {found}"));
            }
        };
        shown.push(ShownCall { id: id.as_deref(), name, arguments });
    }
    Ok(render_calls(dialect, &shown, tools.tools()))
}

fn results(dialect: Dialect, line: &str) -> Result<String, String> {
    let done: Vec<Done> = read(line, "outcomes")?;
    let shown: Vec<ShownResult<'_>> = done
        .iter()
        .map(|done| ShownResult {
            id: done.id.as_deref().or(done.call_id.as_deref()),
            name: &done.tool_name,
            result: match &done.error {
                Some(failure) => Err(&failure.message),
                None => Ok(&done.output),
            },
            provenance: match done.metadata.get("provenance") {
                Some(_) => Provenance::Outside,
                None => Provenance::Own,
            },
        })
        .collect();
    Ok(render_results(dialect, &shown))
}

/// Reads one item, or the list of items that a document of ours holds under a key.
fn read<T: DeserializeOwned>(line: &str, key: &str) -> Result<Vec<T>, String> {
    let mistake = |error| json_mistake(&error);
    let mut document: Value = serde_json::from_str(line).map_err(mistake)?;
    match document.get_mut(key).map(Value::take) {
        Some(items) => serde_json::from_value(items).map_err(mistake),
        None => Ok(vec![serde_json::from_value(document).map_err(mistake)?]),
    }
}
