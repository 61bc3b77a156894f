//! `toolsmith run`: one call, from its arguments to its exit code.

mod dry;
mod live;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use toolsmith_core::{Call, Context, ErrorKind, Outcome, ToolError, Value};
use toolsmith_engine::registry::Registry;

use crate::{
    Session,
    args::Run,
    compose::Workshop,
    config::Settings,
    exit::{self, UsageError},
    interrupt::Interrupt,
    output::{self, Form},
    params,
    runtime::block_on,
    wording,
};

/// Calls the tool, or only checks the call.
pub(crate) fn run(session: &Session, run: &Run) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    if run.dry_run {
        return dry::run(session, &settings, run);
    }
    block_on(call(session, &settings, run))
}

async fn call(session: &Session, settings: &Settings, run: &Run) -> Result<ExitCode> {
    let workshop = Workshop::open(session, settings).await?;
    let interrupt = Interrupt::watch().context("cannot listen for Ctrl-C")?;
    let looking = workshop.look_for(&run.name);
    if let Some(Err(error)) = interrupt.token().run_until_cancelled(looking).await {
        workshop.close().await;
        return Err(error);
    }
    let schema = schema(workshop.engine().registry(), run);
    let shown = match awaited_input(schema, run, interrupt.token()).await {
        Err(error) => Err(error),
        Ok(input) => {
            let call = Call::new(&run.name, input)
                .with_context(context(workshop.context(), run))
                .with_cancel(interrupt.token().clone());
            let outcome = live::follow(&workshop, call, session.output.form).await;
            outcome.and_then(|outcome| show(&outcome, session.output.form))
        }
    };
    // The answer is out; the end of the store is what remains to wait for.
    workshop.close().await;
    shown
}

/// Builds the input on a thread of its own, which Ctrl-C leaves where it is.
///
/// Standard input may be slow to come.
async fn awaited_input(schema: Value, run: &Run, cancel: &CancellationToken) -> Result<Value> {
    let run = run.clone();
    let reading = spawn_blocking(move || input(&schema, &run));
    let Some(read) = cancel.run_until_cancelled(reading).await else {
        let message = "Cancelled before the call was made.";
        return Err(ToolError::new(ErrorKind::Cancelled, message).into());
    };
    Ok(read.context("the input could not be read")??)
}

/// Returns the schema of the tool's input; without a tool everything is text.
fn schema(registry: &Registry, run: &Run) -> Value {
    let tool = registry.get(&run.name);
    tool.map(|tool| tool.spec.input_schema.to_value()).unwrap_or_default()
}

/// Builds the input, typed by the schema of the tool.
fn input(schema: &Value, run: &Run) -> Result<Value, UsageError> {
    let mut read = params::reader();
    let whole = run.params.as_deref().map(|text| params::whole_input(text, &mut read));
    params::build_input(schema, &run.pairs, whole.transpose()?, &mut read)
}

fn context(context: Context, run: &Run) -> Context {
    let conversation_id = run.conversation.as_deref().map(Into::into);
    Context { conversation_id, timeout: run.timeout, ..context }
}

fn show(outcome: &Outcome, form: Form) -> Result<ExitCode> {
    match (form, outcome.error()) {
        (Form::Json, _) => output::print_json(outcome)?,
        (Form::People, None) => output::print(&wording::output_text(outcome))?,
        (Form::People, Some(error)) => {
            output::tell(&format!("error: {}", wording::failure(&outcome.tool_name, error)));
        }
    }
    if form == Form::People {
        for note in wording::notes(outcome) {
            output::tell(&format!("note: {note}"));
        }
    }
    Ok(exit::code_of_outcome(outcome).into())
}
