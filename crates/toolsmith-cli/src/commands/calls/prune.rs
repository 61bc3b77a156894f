//! `toolsmith calls prune`: what is too old goes, and what somebody wants erased.

use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::Result;
use serde::Serialize;
use toolsmith_store::{Erase, Pruned, Retention};

use crate::{
    Session,
    args::Prune,
    compose,
    config::{self, Settings},
    exit::UsageError,
    output,
    progress::Spinner,
    wording::{bytes, counted},
};

/// What went, or why nothing did.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    pruned: Pruned,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

const NO_RETENTION: &str = "nothing is removed: no retention is configured; set records.retention, \
                            or give --older-than, --keep or --max-bytes";
const NOT_CONFIRMED: &str = "nothing is removed";

/// Removes records and prints what went.
pub(super) async fn run(session: &Session, settings: &Settings, prune: &Prune) -> Result<()> {
    let report = match whose(prune) {
        Some(whose) if !confirmed(prune, &whose)? => unchanged(NOT_CONFIRMED),
        Some(whose) => remove(session, settings, What::Erase(whose)).await?,
        None => match retention(prune, &settings.records.retention) {
            None => unchanged(NO_RETENTION),
            Some(retention) => remove(session, settings, What::Prune(retention)).await?,
        },
    };
    session.output.show(&report, |_| report.text())?;
    Ok(())
}

enum What {
    Erase(Erase),
    Prune(Retention),
}

async fn remove(session: &Session, settings: &Settings, what: What) -> Result<Report> {
    let Some(store) = compose::remover(session, settings).await? else {
        super::say_nothing_is_kept(session, settings)?;
        return Ok(Report { pruned: Pruned::default(), hint: None });
    };
    let spinner = Spinner::start("removing records");
    let pruned = match what {
        What::Erase(whose) => store.erase(whose).await,
        What::Prune(retention) => store.prune(retention).await,
    };
    // The writer ends with the last handle.
    drop(store);
    drop(spinner);
    Ok(Report { pruned: pruned?, hint: None })
}

fn unchanged(hint: &'static str) -> Report {
    Report { pruned: Pruned::default(), hint: Some(hint) }
}

fn whose(prune: &Prune) -> Option<Erase> {
    let caller = prune.caller.as_ref().map(|id| Erase::Caller(id.into()));
    let conversation = prune.conversation.as_ref().map(|id| Erase::Conversation(id.into()));
    let user = prune.user.as_ref().map(|id| Erase::User(id.into()));
    caller.or(conversation).or(user)
}

/// Returns the bounds given here, or else the configured ones; nothing when there are none.
fn retention(prune: &Prune, configured: &config::Retention) -> Option<Retention> {
    let given = Retention {
        max_age: prune.older_than,
        max_records: prune.keep,
        max_bytes: prune.max_bytes,
    };
    let configured = Retention {
        max_age: configured.max_age,
        max_records: configured.max_records.map(|count| count as u64),
        max_bytes: configured.max_bytes.map(|count| count as u64),
    };
    let is_set = |retention: &Retention| *retention != Retention::default();
    Some(given).filter(is_set).or_else(|| Some(configured).filter(is_set))
}

/// Asks whether records may be erased, which cannot be undone.
fn confirmed(prune: &Prune, whose: &Erase) -> Result<bool> {
    if prune.yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(UsageError::new("erasing cannot be undone; add --yes").into());
    }
    let (noun, id) = match whose {
        Erase::Caller(id) => ("caller", id),
        Erase::Conversation(id) => ("conversation", id),
        Erase::User(id) => ("user", id),
    };
    let id = output::one_line(id);
    write!(io::stderr(), "Erase every record and artifact of the {noun} `{id}`? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

impl Report {
    fn text(&self) -> String {
        if let Some(hint) = self.hint {
            return format!("{hint}\n");
        }
        let Pruned { records, artifacts, bytes: size } = self.pruned;
        let (records, artifacts) = (counted(records, "record"), counted(artifacts, "artifact"));
        format!("removed {records} and {artifacts}, {}\n", bytes(size))
    }
}
