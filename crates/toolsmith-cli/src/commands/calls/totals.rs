//! `toolsmith calls stats` and `toolsmith calls summary`

use std::collections::BTreeMap;

use anyhow::Result;
use toolsmith_core::Text;
use toolsmith_store::{Statistics, Store, Summary};

use crate::{
    Session,
    output::Colour,
    table::Table,
    wording::{counted, milliseconds, percent},
};

/// Prints what all calls came to.
pub(super) async fn stats(session: &Session, store: Option<&Store>) -> Result<()> {
    let statistics = match store {
        Some(store) => store.stats().await?,
        None => Statistics::default(),
    };
    session.output.show(&statistics, |colour| stats_text(&statistics, colour))?;
    Ok(())
}

/// Sums up a conversation; one that nobody knows has no calls.
pub(super) async fn summary(store: Option<&Store>, conversation: &str) -> Result<Summary> {
    Ok(match store {
        Some(store) => store.summary(conversation).await?,
        None => Summary {
            conversation_id: conversation.into(),
            total_calls: 0,
            successful_calls: 0,
            failed_calls: 0,
            success_rate: 0.0,
            tool_usage: BTreeMap::new(),
        },
    })
}

/// Prints a summary.
pub(super) fn show(session: &Session, summary: &Summary) -> Result<()> {
    session.output.show(summary, |colour| {
        let totals = totals(summary.total_calls, summary.failed_calls, summary.success_rate);
        totals + &usage(&summary.tool_usage, colour)
    })?;
    Ok(())
}

/// Prints the totals of a summary.
pub(super) fn show_brief(session: &Session, summary: &Summary) -> Result<()> {
    session.output.show(&summary.brief(), |_| {
        totals(summary.total_calls, summary.failed_calls, summary.success_rate)
    })?;
    Ok(())
}

fn totals(calls: u64, failures: u64, success_rate: f64) -> String {
    if calls == 0 {
        return "0 calls\n".to_owned();
    }
    let rate = percent(success_rate);
    format!("{}, {failures} failed, {rate} succeeded\n", counted(calls, "call"))
}

fn usage(tool_usage: &BTreeMap<Text, u64>, colour: Colour) -> String {
    if tool_usage.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["TOOL", "CALLS"]);
    for (tool, calls) in tool_usage {
        table.row([tool.to_string(), calls.to_string()]);
    }
    format!("\n{}", table.render(colour))
}

fn stats_text(statistics: &Statistics, colour: Colour) -> String {
    let text = totals(statistics.total_calls, statistics.failed_calls, statistics.success_rate);
    if statistics.tools.is_empty() {
        return text;
    }
    let mut table = Table::new(&["TOOL", "CALLS", "FAILED", "AVERAGE", "P50", "P95", "P99"]);
    for (name, tool) in &statistics.tools {
        let times = [tool.avg_ms, tool.p50_ms, tool.p95_ms, tool.p99_ms].map(milliseconds);
        let counts = [name.to_string(), tool.count.to_string(), tool.failures.to_string()];
        table.row(counts.into_iter().chain(times));
    }
    format!("{text}\n{}", table.render(colour))
}
