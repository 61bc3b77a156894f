//! Outputs that were too large to show, for who made the call.

use toolsmith_core::{Artifact, CallId, Role, Value, json};

use super::{ARTIFACTS, Peer, with_title};
use crate::{Gateway, Visitor};

/// How many bytes are read at once.
const PIECE: u64 = 1 << 20;

/// How many are listed: the youngest.
const LISTED: usize = 50;

/// Lists the kept outputs of a visitor's calls.
pub(super) async fn list(gateway: &Gateway, peer: &Peer) -> Vec<Value> {
    let visitor = &peer.visitor;
    let artifacts = gateway.0.house.recent_artifacts(&visitor.id, LISTED).await;
    let theirs = artifacts.iter().filter(|artifact| may_see(visitor, artifact));
    let listed = theirs.map(|artifact| {
        let id = artifact.id;
        let resource = json!({
            "uri": format!("{ARTIFACTS}{id}"),
            "name": format!("artifact-{id}"),
            "description": format!("The whole output of a call of {}.", artifact.tool_name),
            "mimeType": artifact.media_type,
            "size": artifact.bytes,
        });
        with_title(resource, &format!("Output of {}", artifact.tool_name), peer.revision)
    });
    listed.collect()
}

/// Reads a piece of a kept output; `rest` is `{call_id}` or `{call_id}?offset={bytes}`.
pub(super) async fn read(gateway: &Gateway, peer: &Peer, rest: &str, uri: &str) -> Option<Value> {
    let (id, offset) = match rest.split_once("?offset=") {
        Some((id, offset)) => (id, offset.parse().ok()?),
        None => (rest, 0),
    };
    let id: CallId = id.parse().ok()?;
    let artifacts = gateway.0.house.artifacts()?;
    let page = artifacts.read(id, offset, PIECE).await.ok()?;
    if !may_see(&peer.visitor, &page.artifact) {
        return None;
    }
    let mut content = json!({
        "uri": uri,
        "mimeType": page.artifact.media_type,
        "text": page.content,
    });
    if let Some(next) = page.next_offset {
        content["_meta"] = json!({ "toolsmith/next": format!("{ARTIFACTS}{id}?offset={next}") });
    }
    Some(content)
}

/// Tells whether a visitor made the call or may see all of them, and may still use its tool.
fn may_see(visitor: &Visitor, artifact: &Artifact) -> bool {
    let is_theirs = artifact.caller_id.as_ref() == Some(&visitor.id);
    (is_theirs || visitor.rights.role == Role::Admin) && visitor.rights.allows(&artifact.tool_name)
}
