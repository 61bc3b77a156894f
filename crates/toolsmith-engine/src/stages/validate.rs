//! Stage 3, validate: the input is checked against the schema, completed and, if so defined, coerced.

use toolsmith_core::{ErrorKind, EventKind, JsonText, Problem, ToolError, json};

use crate::{
    config::UnknownParameters,
    registry::Entry,
    schema::{Coerce, Extras, Notes, Rules, Schema},
    stages::{record::Trace, run::with_deadline},
};

pub(crate) async fn validate(trace: &mut Trace<'_>, tool: &Entry) -> Result<(), ToolError> {
    let schema = tool.live().input.as_ref().map_err(|error| {
        ToolError::new(
            ErrorKind::ExecutionError,
            format!("The tool's input schema cannot be used: {error}"),
        )
    })?;
    let rules = Rules {
        extras: match trace.engine.config().unknown_parameters {
            UnknownParameters::Drop => Extras::Drop,
            UnknownParameters::Refuse => Extras::Refuse,
        },
        coerce: if tool.spec.coerce { Coerce::Yes } else { Coerce::No },
    };
    let checked = if schema.may_blow_up() {
        check_on_a_thread(trace, tool, rules).await?
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
    tool: &Entry,
    rules: Rules,
) -> Result<Checked, ToolError> {
    let mut input = std::mem::take(&mut trace.input);
    let text = tool.spec.input_schema.clone();
    let threads = trace.engine.threads();
    let work = threads.run(&trace.tool_name, move || {
        let checked = Schema::compile(&text)?.check_input(&mut input, rules);
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
        trace.engine.redactor().value(&mut data);
        data
    });
}
