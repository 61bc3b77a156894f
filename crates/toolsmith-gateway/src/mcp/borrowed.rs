//! Prompts and resources of others: the client may be asked something while they are made.

use std::sync::Arc;

use toolsmith_core::{BoxFuture, Found, Library, Map, Reader, Value};

use super::{
    Answer,
    following::{Answering, Channels, Done, Following, Telling},
    peer::Peer,
    refusal::Refusal,
    rounds::Subject,
    tools::{asking, content::Promise},
    wire::Id,
};
use crate::Gateway;

/// What came with a request from an earlier round.
#[derive(Debug)]
pub(super) struct Round {
    /// The answers.
    pub(super) given: Map<String, Value>,
    /// What the request is known by.
    pub(super) state: Option<String>,
}

/// Gets something out of the library; nothing when there is none.
pub(super) fn get(
    gateway: &Gateway,
    peer: &Peer,
    id: Id<'_>,
    (subject, round): (Subject, Round),
    make: impl FnOnce(Arc<dyn Library>, Reader) -> BoxFuture<'static, Found>,
) -> Result<Answer, Refusal> {
    if let Some(state) = round.state.filter(|_| peer.revision.is_stateless()) {
        return gateway.resume(&state, &subject, round.given, id);
    }
    let library = gateway.0.house.library();
    let library = library.ok_or_else(|| subject.missing(peer.revision))?;
    let mut channels = Channels::default();
    let asking = asking(gateway, peer, &mut channels, round.given);
    let reader = Reader {
        rights: peer.visitor.rights.clone(),
        asker: Some(Arc::<super::asking::Asking>::clone(&asking)),
    };
    let found = make(library, reader);
    let work = Box::pin(async move { found.await.map_or(Done::Missing, Done::Item) });
    let (id, revision) = (id.as_json().into(), peer.revision);
    let answering = Answering { id, revision, promise: Promise::Nothing };
    let told = (subject, answering, Telling::nothing());
    let following = Following::new(gateway.clone(), told, (work, channels), asking, None);
    Ok(Answer::Following(Box::new(following)))
}
