//! What can be read: a page for each tool, kept outputs, and what others offer.

mod artifacts;
mod followed;
mod following;
mod page;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolsmith_core::{Exposure, Value, json};
use toolsmith_engine::registry::Filter;

pub(crate) use self::{
    followed::Followed,
    following::{subscribe, unsubscribe},
};
use super::{
    Answer,
    borrowed::{self, Round},
    clean,
    peer::Peer,
    refusal::Refusal,
    revision::Revision,
    rounds::Subject,
    tools::{PAGE, Wanted, responses},
    wire::{self, Request, present},
    writing::{Freshness, Writing},
};
use crate::Gateway;

/// How the address of a tool's page begins.
const TOOLS: &str = "toolsmith://tools/";

/// How the address of a kept output begins.
const ARTIFACTS: &str = "toolsmith://artifacts/";

/// Answers a page of what can be read.
pub(crate) async fn list(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Vec<u8>, Refusal> {
    let wanted = Wanted::read(request)?;
    let mut resources = Vec::new();
    if wanted.cursor.is_none() {
        if let Some(library) = gateway.0.house.library() {
            resources.extend(library.resources(&peer.visitor.rights).await);
        }
        resources.extend(artifacts::list(gateway, peer).await);
    }
    let filter = Filter {
        exposure: Some(Exposure::Direct),
        enabled: Some(true),
        ..Filter::visible_to(&peer.visitor.rights)
    };
    let registry = gateway.0.engine.registry();
    let mut tools = registry.page(&filter, wanted.cursor.as_deref(), PAGE + 1);
    let has_more = tools.len() > PAGE;
    tools.truncate(PAGE);
    resources.extend(tools.iter().map(|entry| page::listed(&entry.spec, peer.revision)));
    let mut writing = Writing::to(request.id, peer.revision);
    writing.put("resources", &resources);
    if let Some(last) = tools.last().filter(|_| has_more) {
        writing.put("nextCursor", last.spec.name.as_str());
    }
    writing.holds(Freshness::ForAWhile);
    Ok(clean(gateway, writing.end()))
}

/// Answers how addresses are made of what is not listed.
pub(crate) async fn templates(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Vec<u8>, Refusal> {
    let mut templates = vec![
        json!({
            "uriTemplate": "toolsmith://tools/{name}",
            "name": "tool",
            "description": "What a tool does, takes and returns.",
            "mimeType": "text/markdown",
        }),
        json!({
            "uriTemplate": "toolsmith://artifacts/{call_id}{?offset}",
            "name": "artifact",
            "description": "The whole output of a call, when it was too large to show; from a byte on.",
        }),
    ];
    if let Some(library) = gateway.0.house.library() {
        templates.extend(library.templates(&peer.visitor.rights).await);
    }
    let mut writing = Writing::to(request.id, peer.revision);
    writing.put("resourceTemplates", &templates);
    writing.holds(Freshness::ForAWhile);
    Ok(clean(gateway, writing.end()))
}

#[derive(Debug, Deserialize)]
struct Reading<'a> {
    uri: String,
    #[serde(borrow, default, rename = "inputResponses", deserialize_with = "present")]
    responses: Option<&'a RawValue>,
    #[serde(default, rename = "requestState")]
    state: Option<String>,
}

/// Reads a resource.
pub(crate) async fn read(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let Reading { uri, responses: answers, state } = wire::params(request.params)?;
    let own = if let Some(name) = uri.strip_prefix(TOOLS) {
        page::read(gateway, peer, name, &uri)
    } else if let Some(rest) = uri.strip_prefix(ARTIFACTS) {
        artifacts::read(gateway, peer, rest, &uri).await
    } else {
        let round = Round { given: responses(answers)?, state };
        let visitor = peer.visitor.id.clone();
        let subject = Subject { visitor, method: "resources/read", name: uri.clone() };
        return borrowed::get(gateway, peer, request.id, (subject, round), |library, reader| {
            Box::pin(async move { library.read(&uri, reader).await })
        });
    };
    let content = own.ok_or_else(|| Refusal::no_resource(&uri, peer.revision))?;
    let mut writing = Writing::to(request.id, peer.revision);
    writing.put("contents", &[content]);
    writing.holds(Freshness::Now);
    Ok(Answer::Text(clean(gateway, writing.end())))
}

/// Adds a title where the revision knows titles.
fn with_title(mut resource: Value, title: &str, revision: Revision) -> Value {
    if revision.has_titles() {
        resource["title"] = title.into();
    }
    resource
}
