//! Stage 3, validate: the input is checked against the schema, completed and, if so defined, coerced.

use std::sync::Arc;

use toolsmith_core::{ErrorKind, EventKind, JsonText, Problem, ToolError, json};

use crate::{
    config::UnknownParameters,
    registry::Entry,
    schema::{Coerce, Extras, Notes, Rules},
    stages::{record::Trace, run::with_deadline},
    threads::Room,
};

pub(crate) async fn validate(trace: &mut Trace<'_>, tool: &Arc<Entry>) -> Result<(), ToolError> {
    let schema = tool.live().input.as_ref().map_err(|error| {
        ToolError::new(
            ErrorKind::ExecutionError,
            format!("The tool's input schema cannot be used: {error}"),
        )
    })?;
    let rules = Rules {
        extras: match trace.engine.config.unknown_parameters {
            UnknownParameters::Drop => Extras::Drop,
            UnknownParameters::Refuse => Extras::Refuse,
        },
        coerce: if tool.spec.coerce { Coerce::Yes } else { Coerce::No },
    };
    let checked = if schema.may_blow_up() {
        // What is rare is boxed: it would make the work of every call larger.
        Box::pin(check_on_a_thread(trace, tool, rules)).await?
    } else {
        schema.check_input(&mut trace.input, rules)
    };
    trace.params = Some(JsonText::of(&trace.input));
    match checked {
        Ok(notes) => {
            note(trace, &notes);
            Ok(())
        }
        Err(problems) => {
            tell(trace, &problems);
            Err(ToolError::invalid_input(&problems))
        }
    }
}

type Checked = Result<Notes, Vec<Problem>>;

/// Some schemas multiply work with every level of the input: their checks run where a deadline
/// can leave them behind.
async fn check_on_a_thread(
    trace: &mut Trace<'_>,
    tool: &Arc<Entry>,
    rules: Rules,
) -> Result<Checked, ToolError> {
    // The record needs the input also when the check does not end in time.
    trace.params = Some(JsonText::of(&trace.input));
    let mut input = std::mem::take(&mut trace.input);
    let owned = Arc::clone(tool);
    let work = trace.engine.checks.run(&trace.tool_name, Room::Bounded, move || {
        let schema = owned.live().input.as_ref().map_err(Clone::clone)?;
        let checked = schema.check_input(&mut input, rules);
        Ok((input, checked))
    });
    let (input, checked) = with_deadline(trace.deadline(), work).await?;
    trace.input = input;
    Ok(checked)
}

fn note(trace: &mut Trace<'_>, notes: &Notes) {
    if !notes.dropped.is_empty() {
        trace.note("dropped_parameters", json!(notes.dropped));
    }
    if !notes.coerced.is_empty() {
        trace.note("coerced_parameters", json!(notes.coerced));
    }
}

fn tell(trace: &Trace<'_>, problems: &[Problem]) {
    trace.emit(EventKind::ValidationError, || {
        let mut data = json!({ "problems": problems });
        trace.engine.redactor.value(&mut data);
        data
    });
}
