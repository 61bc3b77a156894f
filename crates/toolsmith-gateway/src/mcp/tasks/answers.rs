//! The methods about tasks.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolsmith_core::{CallId, Map, Value, json};

use super::{standing::Standing, task::Task};
use crate::{
    Gateway,
    mcp::{
        Answer,
        following::Answering,
        peer::Peer,
        refusal::Refusal,
        revision::Revision,
        tools::responses,
        wire::{self, Request, present},
        writing::Writing,
    },
};

/// How many tasks are on a page.
const PAGE: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named<'a> {
    task_id: String,
    #[serde(borrow, default, deserialize_with = "present")]
    input_responses: Option<&'a RawValue>,
}

/// Answers that a call has become a task.
pub(crate) fn made(task: &Task, answering: &Answering) -> Vec<u8> {
    let shown = task.shown(&Standing::Working, answering.revision);
    let mut writing = answering.begin();
    if answering.revision.is_stateless() {
        for (name, value) in shown {
            writing.put(&name, &value);
        }
        return writing.end_as("task");
    }
    writing.put("task", &shown);
    writing.end()
}

/// Returns how a task is, as those who listen are told.
pub(crate) async fn told(
    gateway: &Gateway,
    task: &Task,
    revision: Revision,
) -> Option<Map<String, Value>> {
    let standing = task.standing(gateway).await?;
    Some(task.shown(&standing, revision))
}

/// Answers how a task is, and what came of it.
pub(crate) async fn get(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let (task, _) = find(gateway, peer, request)?;
    let standing = task.standing(gateway).await.ok_or_else(unknown)?;
    let mut writing = Writing::to(request.id, peer.revision);
    let shown = task.shown(&standing, peer.revision);
    for (name, value) in shown {
        writing.put(&name, &value);
    }
    if peer.revision.is_stateless() {
        match standing {
            Standing::Asking(asked) => writing.put("inputRequests", &asked),
            Standing::Completed(result) => writing.put("result", &result),
            Standing::Failed(refusal) => writing.put("error", &refusal),
            Standing::Working | Standing::Cancelled => {}
        }
    }
    Ok(Answer::Text(writing.end()))
}

/// Gives a task answers to what it asks.
pub(crate) fn update(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let (task, given) = find(gateway, peer, request)?;
    task.give(gateway.0.engine.now(), responses(given)?);
    Ok(Answer::Text(Writing::to(request.id, peer.revision).end()))
}

/// Takes a task back; one that has ended stays as it is.
pub(crate) async fn cancel(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let (task, _) = find(gateway, peer, request)?;
    let is_over = task.state.lock().ended_at.is_some();
    let mut writing = Writing::to(request.id, peer.revision);
    if peer.revision.is_stateless() {
        gateway.0.underway.cancel(task.id);
        return Ok(Answer::Text(writing.end()));
    }
    if is_over {
        return Err(Refusal::invalid_params("This task has ended already."));
    }
    gateway.0.underway.cancel(task.id);
    task.ended().await;
    let standing = task.standing(gateway).await.ok_or_else(unknown)?;
    for (name, value) in task.shown(&standing, peer.revision) {
        writing.put(&name, &value);
    }
    Ok(Answer::Text(writing.end()))
}

/// Waits for the end of a task, and answers what its call would have been answered with.
pub(crate) async fn result(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let (task, _) = find(gateway, peer, request)?;
    task.ended().await;
    match task.standing(gateway).await.ok_or_else(unknown)? {
        Standing::Completed(result) => {
            let mut writing = Writing::to(request.id, peer.revision);
            writing.put_all(result);
            let related = json!({ "taskId": task.id });
            writing.note("io.modelcontextprotocol/related-task", related);
            Ok(Answer::Text(writing.end()))
        }
        Standing::Failed(refusal) => Err(refusal),
        Standing::Cancelled | Standing::Working | Standing::Asking(_) => {
            Err(Refusal::internal("The task was cancelled."))
        }
    }
}

#[derive(Debug, Default, Deserialize)]
struct Wanted {
    cursor: Option<CallId>,
}

/// Answers a page of the caller's own tasks.
pub(crate) async fn list(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let wanted: Wanted = wire::params(request.params)?;
    let mut tasks = gateway.0.mcp.tasks.of(&peer.visitor.id, wanted.cursor);
    let is_last = tasks.len() <= PAGE;
    tasks.truncate(PAGE);
    let next = tasks.last().filter(|_| !is_last).map(|task| task.id);
    let mut shown: Vec<Value> = Vec::with_capacity(tasks.len());
    for task in &tasks {
        if let Some(standing) = task.standing(gateway).await {
            shown.push(task.shown(&standing, peer.revision).into());
        }
    }
    let mut writing = Writing::to(request.id, peer.revision);
    writing.put("tasks", &shown);
    if let Some(next) = next {
        writing.put("nextCursor", &next);
    }
    Ok(Answer::Text(writing.end()))
}

/// Finds the task that a request names; that of somebody else is not there.
fn find<'a>(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'a>,
) -> Result<(Arc<Task>, Option<&'a RawValue>), Refusal> {
    if peer.revision.is_stateless() && !peer.abilities.tasks {
        let required = json!({ "extensions": { super::EXTENSION: {} } });
        return Err(Refusal::missing_ability(&required));
    }
    let named: Named<'a> = wire::params(request.params)?;
    let task = gateway.0.mcp.tasks.find(&peer.visitor, &named.task_id).ok_or_else(unknown)?;
    Ok((task, named.input_responses))
}

fn unknown() -> Refusal {
    Refusal::invalid_params("There is no such task, or it is no longer kept.")
}
