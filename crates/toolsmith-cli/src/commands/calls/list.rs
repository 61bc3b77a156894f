//! `toolsmith calls list`

use anyhow::Result;
use serde::Serialize;
use toolsmith_core::{CallId, Record};
use toolsmith_store::{Page, Query, Store};

use crate::{
    Session,
    output::{self, Colour, Form},
    table::Table,
    wording::milliseconds,
};

#[derive(Serialize)]
struct List {
    calls: Vec<Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<CallId>,
}

/// Prints a page of records.
pub(super) async fn run(session: &Session, store: Option<&Store>, query: Query) -> Result<()> {
    let page = match store {
        Some(store) => store.records(query).await?,
        None => Page { records: Vec::new(), next: None },
    };
    let list = List { calls: page.records, next: page.next };
    session.output.show(&list, |colour| text(&list.calls, colour))?;
    if session.output.form == Form::People {
        if let Some(next) = list.next {
            output::tell(&format!("note: there are more; go on with --before {next}"));
        } else if list.calls.is_empty() && store.is_some() {
            output::tell("note: no call fits");
        }
    }
    Ok(())
}

fn text(calls: &[Record], colour: Colour) -> String {
    if calls.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["ID", "TIME", "TOOL", "RESULT", "TOOK", "CALLER", "CONVERSATION"]);
    for call in calls {
        let result = call.error_type.map_or("ok", |kind| kind.as_str());
        table.row([
            call.record_id.to_string(),
            call.created_at.to_string(),
            call.tool_name.to_string(),
            result.to_owned(),
            milliseconds(call.execution_time.as_secs_f64() * 1_000.0),
            call.caller_id.as_deref().unwrap_or(call.caller_type.as_str()).to_owned(),
            call.conversation_id.as_deref().unwrap_or_default().to_owned(),
        ]);
    }
    table.render(colour)
}
