//! `toolsmith run --dry-run`: the call is resolved and checked, and nothing happens.

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use toolsmith_core::{ErrorKind, Problem, ToolError, Value};
use toolsmith_engine::schema::{Coerce, Extras, Notes, Rules, Schema};

use crate::{
    Session,
    args::Run,
    catalogue,
    compose::{self, Toolbox, Wanted},
    config::Settings,
    exit,
    output::{self, Form},
    wording,
};

/// What would be sent, or why it would not.
#[derive(Debug, Serialize)]
struct Checked {
    dry_run: bool,
    tool_name: String,
    version: String,
    valid: bool,
    input: Value,
    problems: Vec<Problem>,
    dropped_parameters: Vec<String>,
    coerced_parameters: Vec<String>,
}

/// Checks the call and prints its input.
pub(super) fn run(session: &Session, settings: &Settings, run: &Run) -> Result<ExitCode> {
    let toolbox = Toolbox::open(session, settings)?;
    let engine = compose::engine_with(session, settings, &toolbox, Wanted::One(&run.name))?;
    let tool = catalogue::find(engine.registry(), &run.name)?;
    if !tool.spec.enabled {
        let message = format!("`{}` is switched off.", tool.spec.name);
        return Err(ToolError::new(ErrorKind::ToolNotFound, message).into());
    }
    let mut input = super::input(&super::schema(engine.registry(), run), run)?;
    let rules = Rules {
        extras: if settings.strict_validation { Extras::Refuse } else { Extras::Drop },
        coerce: if tool.spec.coerce { Coerce::Yes } else { Coerce::No },
    };
    let checked = Schema::compile(&tool.spec.input_schema)?.check_input(&mut input, rules);
    let (notes, problems) = match checked {
        Ok(notes) => (notes, Vec::new()),
        Err(problems) => (Notes::default(), problems),
    };
    session.redactor.value(&mut input);
    let checked = Checked {
        dry_run: true,
        tool_name: tool.spec.name.to_string(),
        version: tool.spec.version.to_string(),
        valid: problems.is_empty(),
        input,
        problems,
        dropped_parameters: notes.dropped,
        coerced_parameters: notes.coerced,
    };
    match session.output.form {
        Form::Json => output::print_json(&checked)?,
        Form::People => show(&checked)?,
    }
    Ok(if checked.valid { exit::SUCCESS } else { exit::INVALID_INPUT }.into())
}

fn show(checked: &Checked) -> Result<()> {
    let Checked { tool_name, version, .. } = checked;
    if !checked.valid {
        let error = ToolError::invalid_input(&checked.problems);
        output::tell(&format!("error: {}", wording::failure(tool_name, &error)));
        return Ok(());
    }
    output::print(&(wording::pretty(&checked.input) + "\n"))?;
    for name in &checked.dropped_parameters {
        output::tell(&format!("note: `{tool_name}` has no parameter `{name}`; left out"));
    }
    output::tell(&format!("note: nothing was run; `{tool_name}` {version} would get this input"));
    Ok(())
}
