//! `toolsmith approvals`: what a running `toolsmith serve` asks people about.

use std::{fmt::Write as _, process::ExitCode};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use toolsmith_core::{CallId, visible};

use crate::{
    Session,
    args::ApprovalsWord,
    output::{self, Colour, Form},
    running::Running,
    runtime::block_on,
    table::{Table, shorten},
};

/// How much of an input stands in a line; `show` has all of it.
const WIDEST_INPUT: usize = 80;

/// Lists what waits, or decides.
pub(crate) fn run(session: &Session, word: &ApprovalsWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    block_on(async {
        let running = Running::find(session, &settings)?;
        match word {
            ApprovalsWord::List => list(session, &running.get("/approvals").await?)?,
            ApprovalsWord::Show { id } => show(session, &running.get("/approvals").await?, *id)?,
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

fn show(session: &Session, answer: &Value, id: CallId) -> Result<()> {
    let id = id.to_string();
    let mut waiting = answer["approvals"].as_array().into_iter().flatten();
    let Some(pending) = waiting.find(|pending| pending["approval_id"] == *id) else {
        bail!("nothing waits under the id {id}; see `toolsmith approvals list`");
    };
    session.show(pending, |_| page(pending))?;
    Ok(())
}

/// Writes everything that there is to decide about.
fn page(pending: &Value) -> String {
    let mut page = String::new();
    for key in
        ["tool_name", "version", "caller_id", "user_id", "reason", "requested_at", "expires_at"]
    {
        if let Some(text) = pending[key].as_str() {
            writeln!(page, "{key}: {}", revealed(text)).ok();
        }
    }
    let input = serde_json::to_string_pretty(&pending["input"]).unwrap_or_default();
    writeln!(page, "input:\n{}", revealed(&input)).ok();
    page
}

/// Writes as a number what cannot be seen in a text: nothing is agreed to that is not looked at.
fn revealed(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let is_seen = c == '\n' || !visible(c.encode_utf8(&mut [0; 4])).is_empty();
        if is_seen && !matches!(c, '\u{2028}' | '\u{2029}') {
            shown.push(c);
        } else {
            write!(shown, "\\u{{{:x}}}", u32::from(c)).ok();
        }
    }
    shown
}

fn table(answer: &Value, colour: Colour) -> String {
    let mut table = Table::new(&["ID", "TOOL", "CALLER", "SINCE", "INPUT"]);
    for pending in answer["approvals"].as_array().into_iter().flatten() {
        let text = |key: &str| pending[key].as_str().unwrap_or_default().to_owned();
        let input = shorten(&revealed(&pending["input"].to_string()), WIDEST_INPUT);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_as_a_number() {
        let pending =
            json!({ "tool_name": "rm", "input": { "path": "a\u{202e}b\u{200b}\u{2028}é" } });
        let page = page(&pending);
        assert_eq!(
            page,
            "tool_name: rm\ninput:\n{\n  \"path\": \"a\\u{202e}b\\u{200b}\\u{2028}é\"\n}\n"
        );
    }
}
