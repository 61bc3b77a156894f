//! `resources/subscribe`: hearing when a resource changes.

use serde::Deserialize;

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
    if let Some(session) = &peer.session
        && !session.followed.follow(gateway, &peer.visitor.rights, &uri).await
    {
        return Err(Refusal::invalid_params("Too many resources are followed."));
    }
    Ok(Writing::to(request.id, peer.revision).end())
}

/// Lets a session hear it no longer.
pub(crate) fn unsubscribe(peer: &Peer, request: &Request<'_>) -> Result<Vec<u8>, Refusal> {
    let Named { uri } = wire::params(request.params)?;
    if let Some(session) = &peer.session {
        session.followed.leave(&uri);
    }
    Ok(Writing::to(request.id, peer.revision).end())
}
