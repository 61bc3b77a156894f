//! Prompts: how the tools of each group are used together, and what others offer.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolsmith_core::{Group, Map, ToolName, Value, json};

use super::{
    Answer,
    borrowed::{self, Round},
    clean,
    peer::Peer,
    refusal::Refusal,
    rounds::Subject,
    tools::responses,
    wire::{self, Request, present},
    writing::{Freshness, Writing},
};
use crate::Gateway;

/// Answers the prompts.
pub(crate) async fn list(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Vec<u8>, Refusal> {
    let groups = groups(gateway, peer);
    let mut prompts: Vec<Value> = groups.iter().map(|group| listed(group, peer)).collect();
    if let Some(library) = gateway.0.house.library() {
        // The prompt of a group is made by its name, whoever else has one of that name.
        let is_free = |name: &str| groups.iter().all(|group| group.group_id != name);
        let others = library.prompts(&peer.visitor.rights).await;
        prompts.extend(
            others.into_iter().filter(|prompt| prompt["name"].as_str().is_some_and(is_free)),
        );
    }
    let mut writing = Writing::to(request.id, peer.revision);
    writing.put("prompts", &prompts);
    writing.holds(Freshness::ForAWhile);
    Ok(clean(gateway, writing.end()))
}

fn listed(group: &Group, peer: &Peer) -> Value {
    let mut prompt = json!({
        "name": group.group_id,
        "description": format!("How to use the tools of the group {} together.", group.name),
        "arguments": [{
            "name": "task",
            "description": "What is to be done with them.",
            "required": false,
        }],
    });
    if peer.revision.has_titles() {
        prompt["title"] = group.name.as_str().into();
    }
    prompt
}

/// Returns the groups of which a client may see something, with what it may see.
fn groups(gateway: &Gateway, peer: &Peer) -> Vec<Group> {
    let registry = gateway.0.engine.registry();
    let is_visible = |name: &ToolName| {
        let found = registry.visible(name.as_str(), &peer.visitor.rights);
        found.is_some_and(|entry| entry.spec.enabled)
    };
    let seen = gateway.0.house.groups().into_iter().map(|group| {
        let mut group = Group::clone(&group);
        group.tool_ids.retain(is_visible);
        group.usage_order.retain(is_visible);
        group
    });
    seen.filter(|group| !group.tool_ids.is_empty()).collect()
}

#[derive(Debug, Deserialize)]
struct Getting<'a> {
    name: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(borrow, default, rename = "inputResponses", deserialize_with = "present")]
    responses: Option<&'a RawValue>,
    #[serde(default, rename = "requestState")]
    state: Option<String>,
}

/// Makes a prompt.
pub(crate) fn get(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let getting: Getting<'_> = wire::params(request.params)?;
    let group = groups(gateway, peer).into_iter().find(|group| group.group_id == getting.name);
    let Some(group) = group else { return borrow(gateway, peer, request, getting) };
    let task = getting.arguments.get("task").and_then(Value::as_str);
    let text = usage(gateway, peer, &group, task);
    let mut writing = Writing::to(request.id, peer.revision);
    writing.put("description", &format!("How to use the tools of the group {}.", group.name));
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    writing.put("messages", &[message]);
    Ok(Answer::Text(clean(gateway, writing.end())))
}

/// Writes how the tools of a group are used.
fn usage(gateway: &Gateway, peer: &Peer, group: &Group, task: Option<&str>) -> String {
    let mut text = format!("Use the tools of the group \"{}\".", group.name);
    if !group.description.is_empty() {
        write!(text, " {}", group.description.trim()).ok();
    }
    let order = if group.usage_order.is_empty() { &group.tool_ids } else { &group.usage_order };
    let ordered = if group.usage_order.is_empty() { "The tools" } else { "In this order" };
    write!(text, "\n\n{ordered}:\n").ok();
    for name in order {
        let entry = gateway.0.engine.registry().visible(name.as_str(), &peer.visitor.rights);
        let description = entry.map(|entry| entry.spec.description.clone()).unwrap_or_default();
        let first = description.lines().next().unwrap_or_default();
        writeln!(text, "- {name}: {first}").ok();
    }
    if let Some(example) = &group.usage_example {
        write!(text, "\nAn example:\n{}\n", example.trim()).ok();
    }
    if let Some(task) = task.filter(|task| !task.is_empty()) {
        write!(text, "\nThe task: {task}\n").ok();
    }
    text
}

/// Lets somebody else make the prompt.
fn borrow(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
    getting: Getting<'_>,
) -> Result<Answer, Refusal> {
    let Getting { name, arguments, responses: answers, state } = getting;
    let round = Round { given: responses(answers)?, state };
    let subject =
        Subject { visitor: peer.visitor.id.clone(), method: "prompts/get", name: name.clone() };
    borrowed::get(gateway, peer, request.id, (subject, round), |library, reader| {
        Box::pin(async move { library.prompt(&name, arguments, reader).await })
    })
}
