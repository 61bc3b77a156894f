//! `toolsmith calls show`

use anyhow::{Result, bail};
use toolsmith_core::{CallId, JsonText, Record};
use toolsmith_store::Store;

use crate::{
    Session,
    output::Colour,
    wording::{facts, milliseconds, pretty},
};

/// Prints one record.
pub(super) async fn run(session: &Session, store: Option<&Store>, id: CallId) -> Result<()> {
    let found = match store {
        Some(store) => store.record(id).await?,
        None => None,
    };
    let Some(record) = found else {
        bail!("there is no record of call {id}; `toolsmith calls list` shows what there is");
    };
    session.output.show(&record, |colour| text(&record, colour))?;
    Ok(())
}

fn text(record: &Record, colour: Colour) -> String {
    let version = record.version.as_deref().unwrap_or_default();
    let result = match record.error_type {
        None => colour.green("ok"),
        Some(kind) => colour.red(kind.as_str()),
    };
    let mut text = facts(&[
        ("call", Some(record.record_id.to_string())),
        ("tool", Some(format!("{} {version}", record.tool_name).trim_end().to_owned())),
        ("time", Some(record.created_at.to_string())),
        ("took", Some(milliseconds(record.execution_time.as_secs_f64() * 1_000.0))),
        ("result", Some(result)),
        ("error", record.error.clone()),
        ("by", Some(record.caller_type.to_string())),
        ("caller", record.caller_id.as_ref().map(ToString::to_string)),
        ("user", record.user_id.as_ref().map(ToString::to_string)),
        ("conversation", record.conversation_id.as_ref().map(ToString::to_string)),
        ("workflow", record.workflow_id.as_ref().map(ToString::to_string)),
        ("node", record.node_id.as_ref().map(ToString::to_string)),
        ("task", record.task_id.as_ref().map(ToString::to_string)),
    ]);
    text.push_str(&part("INPUT", &record.params, colour));
    text.extend(record.result.as_ref().map(|output| part("OUTPUT", output, colour)));
    text
}

fn part(heading: &str, json: &JsonText, colour: Colour) -> String {
    format!("\n{}\n{}\n", colour.bold(heading), pretty(&json.to_value()).trim_end())
}
