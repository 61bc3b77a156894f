//! `completion/complete`: how what a person types could go on.

use serde::Deserialize;
use toolsmith_core::{Exposure, Value, json};
use toolsmith_engine::registry::Filter;

use super::{
    clean,
    following::refused,
    peer::Peer,
    refusal::Refusal,
    wire::{self, Request},
    writing::Writing,
};
use crate::Gateway;

/// How many values the protocol allows.
const MOST: usize = 100;

#[derive(Debug, Deserialize)]
struct Completing {
    r#ref: Reference,
    argument: Argument,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Reference {
    #[serde(rename = "ref/prompt")]
    Prompt {},
    #[serde(rename = "ref/resource")]
    Resource { uri: String },
}

#[derive(Debug, Deserialize)]
struct Argument {
    name: String,
    value: String,
}

/// Answers how an argument could go on.
pub(crate) async fn complete(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Vec<u8>, Refusal> {
    let Completing { r#ref: reference, argument } = wire::params(request.params)?;
    let mut writing = Writing::to(request.id, peer.revision);
    let is_tool =
        matches!(&reference, Reference::Resource { uri } if uri == "toolsmith://tools/{name}");
    if is_tool && argument.name == "name" {
        writing.put("completion", &tools(gateway, peer, &argument.value));
        return Ok(writing.end());
    }
    let mut params: Value = wire::params(request.params)?;
    if let Some(members) = params.as_object_mut() {
        members.remove("_meta");
    }
    let found = match gateway.0.house.library() {
        Some(library) => library.complete(&params, &peer.visitor.rights).await,
        None => None,
    };
    match found {
        Some(Ok(Value::Object(members))) => writing.put_all(members),
        Some(Err(error)) => return Err(refused(&error, peer.revision)),
        _ => writing.put("completion", &json!({ "values": [], "total": 0, "hasMore": false })),
    }
    Ok(clean(gateway, writing.end()))
}

/// Completes the name of a tool.
fn tools(gateway: &Gateway, peer: &Peer, begun: &str) -> Value {
    let filter = Filter { enabled: Some(true), ..Filter::visible_to(&peer.visitor.rights) };
    let names = gateway.0.engine.registry().find(&filter);
    let names = names.iter().filter(|entry| entry.spec.exposure != Exposure::Hidden);
    let names: Vec<&str> = names
        .map(|entry| entry.spec.name.as_str())
        .filter(|name| name.starts_with(begun))
        .collect();
    let values: Vec<&str> = names.iter().copied().take(MOST).collect();
    json!({ "values": values, "total": names.len(), "hasMore": names.len() > MOST })
}
