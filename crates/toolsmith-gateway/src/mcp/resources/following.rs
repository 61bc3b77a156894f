//! `resources/subscribe`: hearing when a resource changes.

use serde::Deserialize;
use toolsmith_core::Reader;

use super::{ARTIFACTS, TOOLS, artifacts, page};
use crate::{
    Gateway,
    mcp::{
        peer::Peer,
        refusal::Refusal,
        wire::{self, Request},
        writing::Writing,
    },
};

#[derive(Debug, Deserialize)]
struct Named {
    uri: String,
}

/// Lets a session hear when a resource changes.
pub(crate) async fn subscribe(
    gateway: &Gateway,
    peer: &Peer,
    request: &Request<'_>,
) -> Result<Vec<u8>, Refusal> {
    let Named { uri } = wire::params(request.params)?;
    if !is_there(gateway, peer, &uri).await {
        return Err(Refusal::no_resource(&uri, peer.revision));
    }
    if let Some(session) = &peer.session
        && !session.followed.follow(gateway, &peer.visitor.rights, &uri).await
    {
        return Err(Refusal::invalid_params("Too many resources are followed."));
    }
    Ok(Writing::to(request.id, peer.revision).end())
}

/// Tells whether a resource could be read.
async fn is_there(gateway: &Gateway, peer: &Peer, uri: &str) -> bool {
    if let Some(name) = uri.strip_prefix(TOOLS) {
        return page::read(gateway, peer, name, uri).is_some();
    }
    if let Some(rest) = uri.strip_prefix(ARTIFACTS) {
        return artifacts::read(gateway, peer, rest, uri).await.is_some();
    }
    let Some(library) = gateway.0.house.library() else { return false };
    let rights = &peer.visitor.rights;
    if library.resources(rights).await.iter().any(|resource| resource["uri"] == *uri) {
        return true;
    }
    // Not everything is listed: some addresses are made of templates.
    library.read(uri, Reader { rights: rights.clone(), asker: None }).await.is_some()
}

/// Lets a session hear it no longer.
pub(crate) fn unsubscribe(peer: &Peer, request: &Request<'_>) -> Result<Vec<u8>, Refusal> {
    let Named { uri } = wire::params(request.params)?;
    if let Some(session) = &peer.session {
        session.followed.leave(&uri);
    }
    Ok(Writing::to(request.id, peer.revision).end())
}
