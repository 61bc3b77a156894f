//! `toolsmith approvals`: what a running `toolsmith serve` asks people about.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::{Value, json};
use toolsmith_core::CallId;

use crate::{
    Session,
    args::ApprovalsWord,
    output::{self, Colour, Form},
    running::Running,
    runtime::block_on,
    table::Table,
};

/// Lists what waits, or decides.
pub(crate) fn run(session: &Session, word: &ApprovalsWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    block_on(async {
        let running = Running::find(session, &settings)?;
        match word {
            ApprovalsWord::List => list(session, &running.get("/approvals").await?)?,
            ApprovalsWord::Approve { id } => decide(session, &running, *id, "approve").await?,
            ApprovalsWord::Deny { id } => decide(session, &running, *id, "deny").await?,
        }
        Ok(ExitCode::SUCCESS)
    })
}

async fn decide(session: &Session, running: &Running, id: CallId, decision: &str) -> Result<()> {
    let told = json!({ "decision": decision });
    let answer = running.post(&format!("/approvals/{id}"), &told).await?;
    match session.output.form {
        Form::Json => output::print_json(&answer)?,
        Form::People if decision == "approve" => {
            output::tell("note: the same call of the same caller runs once now");
        }
        Form::People => output::tell("note: the call is refused"),
    }
    Ok(())
}

fn list(session: &Session, answer: &Value) -> Result<()> {
    session.show(answer, |colour| table(answer, colour))?;
    let is_empty = answer["approvals"].as_array().is_none_or(Vec::is_empty);
    if is_empty && session.output.form == Form::People {
        output::tell("note: nothing waits for a decision");
    }
    Ok(())
}

fn table(answer: &Value, colour: Colour) -> String {
    let mut table = Table::new(&["ID", "TOOL", "CALLER", "SINCE", "INPUT"]);
    for pending in answer["approvals"].as_array().into_iter().flatten() {
        let text = |key: &str| pending[key].as_str().unwrap_or_default().to_owned();
        let input = pending["input"].to_string();
        table.row([
            text("approval_id"),
            text("tool_name"),
            text("caller_id"),
            text("requested_at"),
            input,
        ]);
    }
    if table.is_empty() { String::new() } else { table.render(colour) }
}
