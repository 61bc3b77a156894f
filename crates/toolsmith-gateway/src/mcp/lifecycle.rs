//! How a conversation begins: `initialize` with a session, `server/discover` without.

use serde::Deserialize;
use toolsmith_core::{Value, json};

use super::{
    meta::{Abilities, Capabilities, Level, server_info},
    refusal::Refusal,
    revision::Revision,
    session::Session,
    tasks,
    wire::{self, Request},
    writing::{Freshness, Writing},
};
use crate::Visitor;

/// What models are told about us.
const INSTRUCTIONS: &str = "Toolsmith offers the tools of its registry. Where `search_tools` and \
     `call_tool` are listed, more tools exist than are shown: search before saying that something \
     cannot be done. An output that was cut is kept whole; read it as the resource that its result \
     links to.";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hello {
    protocol_version: String,
    #[serde(default)]
    capabilities: Capabilities,
}

/// Begins a session, and answers what is spoken in it.
pub(crate) fn initialize(
    visitor: &Visitor,
    request: &Request<'_>,
) -> Result<(Session, Vec<u8>), Refusal> {
    let hello: Hello = wire::params(request.params)?;
    let revision = Revision::agreed(&hello.protocol_version);
    let abilities = Abilities::from(&hello.capabilities);
    let mut writing = Writing::to(request.id, revision);
    writing.put("protocolVersion", revision.as_str());
    writing.put("capabilities", &capabilities(revision));
    writing.put("serverInfo", &server_info());
    writing.put("instructions", INSTRUCTIONS);
    Ok((Session::new(visitor.id.clone(), revision, abilities), writing.end()))
}

/// Answers what is spoken here, to a client whose requests stand for themselves.
pub(crate) fn discover(request: &Request<'_>, revision: Revision) -> Vec<u8> {
    let mut writing = Writing::to(request.id, revision);
    writing.put("supportedVersions", &Revision::ALL.map(Revision::as_str));
    writing.put("capabilities", &capabilities(revision));
    writing.put("instructions", INSTRUCTIONS);
    writing.holds(Freshness::ForAWhile);
    writing.end()
}

fn capabilities(revision: Revision) -> Value {
    let mut capabilities = json!({
        "tools": { "listChanged": true },
        "prompts": { "listChanged": true },
        "resources": { "listChanged": true, "subscribe": true },
    });
    if !revision.is_stateless() {
        capabilities["logging"] = json!({});
    }
    if revision.announces_completion() {
        capabilities["completions"] = json!({});
    }
    if revision.has_tasks() {
        let requests = json!({ "tools": { "call": {} } });
        capabilities["tasks"] = json!({ "list": {}, "cancel": {}, "requests": requests });
    }
    if revision.is_stateless() {
        capabilities["extensions"] = json!({ tasks::EXTENSION: {} });
    }
    capabilities
}

#[derive(Debug, Deserialize)]
struct Wish {
    level: Level,
}

/// Sets from which level on a session hears messages.
pub(crate) fn set_level(session: &Session, request: &Request<'_>) -> Result<Vec<u8>, Refusal> {
    let wish: Wish = wire::params(request.params)?;
    session.set_level(wish.level);
    Ok(Writing::to(request.id, session.revision).end())
}
