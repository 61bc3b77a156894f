//! Many calls at once: in parallel, in order, and one failure does not stop the others.

use std::collections::{BTreeMap, btree_map::Entry};

use tokio::task::JoinSet;
use toolsmith_core::{Call, ErrorKind, Outcome, ToolError, ToolRef, Value};

use crate::{call, engine::Engine};

/// Runs a batch; outcomes come in the order of the calls.
pub(crate) async fn run(engine: &Engine, calls: Vec<Call>) -> Vec<Outcome> {
    let needs = needs_of(engine, &calls);
    let names: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
    let mut waiting: BTreeMap<usize, Call> = calls.into_iter().enumerate().collect();
    let mut outcomes: BTreeMap<usize, Outcome> = BTreeMap::new();
    let mut running: JoinSet<(usize, Outcome)> = JoinSet::new();
    // No more than have slots: a batch must not fill the queue against everybody else.
    let most = engine.0.config.limits.max_concurrent.max(1);
    while !waiting.is_empty() || !running.is_empty() {
        let ready: Vec<usize> = waiting
            .keys()
            .filter(|at| needs[**at].iter().all(|need| outcomes.contains_key(need)))
            .take(most.saturating_sub(running.len()))
            .copied()
            .collect();
        for at in ready {
            let Some(call) = waiting.remove(&at) else { continue };
            let failed = needs[at].iter().find_map(|need| failed_need(outcomes.get(need)?));
            let engine = engine.clone();
            running.spawn(async move {
                let outcome = match failed {
                    None => engine.call(call).await,
                    Some(error) => call::refuse(&engine.0, call, error).await,
                };
                (at, outcome)
            });
        }
        match running.join_next().await {
            Some(Ok((at, outcome))) => {
                outcomes.insert(at, outcome);
            }
            // A call does not panic; whatever else ended its task is told below.
            Some(Err(_)) => {}
            // Nothing runs and nothing is ready: what is left waits for itself.
            None => break,
        }
    }
    for (at, call) in waiting {
        let circle = ToolError::new(
            ErrorKind::DependencyError,
            "The calls that it needs wait for each other; check what the tools depend on.",
        );
        outcomes.insert(at, call::refuse(&engine.0, call, circle).await);
    }
    for (at, tool) in names.into_iter().enumerate() {
        if let Entry::Vacant(place) = outcomes.entry(at) {
            let lost = ToolError::failed("The call was ended from outside; try it again.");
            place.insert(call::refuse(&engine.0, Call::new(tool, Value::Null), lost).await);
        }
    }
    outcomes.into_values().collect()
}

/// For each call, the other calls of the batch whose tools its own tool depends on.
fn needs_of(engine: &Engine, calls: &[Call]) -> Vec<Vec<usize>> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, call) in calls.iter().enumerate() {
        by_name.entry(ToolRef::split(&call.tool).0).or_default().push(at);
    }
    let needs_of_call = |call: &Call| {
        let Some(tool) = engine.registry().get(&call.tool) else { return Vec::new() };
        let needed = tool.spec.depends_on.iter().filter_map(|need| by_name.get(need.name.as_str()));
        needed.flatten().copied().collect()
    };
    calls.iter().map(needs_of_call).collect()
}

/// Says why a call cannot run when one that it needs has failed.
fn failed_need(outcome: &Outcome) -> Option<ToolError> {
    let error = outcome.error()?;
    let tool = &outcome.tool_name;
    Some(ToolError::new(
        ErrorKind::DependencyError,
        format!("It needs `{tool}`, which failed in the same batch: {error}"),
    ))
}
