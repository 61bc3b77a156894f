//! `toolsmith calls`: the records of calls.

mod export;
mod list;
mod prune;
mod show;
mod totals;

use std::process::ExitCode;

use anyhow::Result;
use toolsmith_core::{Clock, SystemClock};
use toolsmith_store::Query;

use crate::{
    Session,
    args::{CallFilter, CallsWord},
    compose,
    config::Settings,
    output,
    runtime::block_on,
};

/// Reads, writes out or removes records.
pub(crate) fn run(session: &Session, word: &CallsWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    block_on(dispatch(session, &settings, word))
}

async fn dispatch(session: &Session, settings: &Settings, word: &CallsWord) -> Result<ExitCode> {
    if let CallsWord::Prune(prune) = word {
        prune::run(session, settings, prune).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let store = compose::reader(session, settings).await?;
    if store.is_none() {
        say_nothing_is_kept(session, settings)?;
    }
    let store = store.as_ref();
    match word {
        CallsWord::List { filter, limit, before } => {
            let query = Query { limit: *limit, cursor: *before, ..query(filter) };
            list::run(session, store, query).await?;
        }
        CallsWord::Show { id } => show::run(session, store, *id).await?,
        CallsWord::Stats => totals::stats(session, store).await?,
        CallsWord::Summary { conversation, brief } => {
            let summary = totals::summary(store, conversation).await?;
            if *brief {
                totals::show_brief(session, &summary)?;
            } else {
                totals::show(session, &summary)?;
            }
        }
        CallsWord::Export { filter, format, output } => {
            export::run(session, store, query(filter), (*format, output.as_deref())).await?;
        }
        CallsWord::Prune(_) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn query(filter: &CallFilter) -> Query {
    let now = SystemClock.now();
    let text = |text: &Option<String>| text.as_deref().map(Into::into);
    Query {
        tool_name: text(&filter.tool),
        conversation_id: text(&filter.conversation),
        caller_id: text(&filter.caller),
        user_id: text(&filter.user),
        since: filter.since.map(|moment| moment.before(now)),
        until: filter.until.map(|moment| moment.before(now)),
        success: match (filter.succeeded, filter.failed) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        ..Query::default()
    }
}

/// Says that there is no database, which is no error.
pub(super) fn say_nothing_is_kept(session: &Session, settings: &Settings) -> Result<()> {
    let folder = compose::data_folder(settings, &session.environment)?;
    let folder = folder.display().to_string();
    let folder = session.redactor.text(&folder);
    output::tell(&format!(
        "note: nothing is recorded in {folder} yet; try: toolsmith run echo message=hi"
    ));
    Ok(())
}
