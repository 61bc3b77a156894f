//! Who sent a request, and what is spoken with them.

use std::sync::Arc;

use super::{
    guest::{Chosen, Guest, Opening},
    meta::{Abilities, Level, Meta},
    refusal::Refusal,
    revision::Revision,
    session::Session,
};
use crate::Visitor;

/// Who sent a request, and what is spoken with them.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Who they are, and what they may use.
    pub(crate) visitor: Visitor,
    /// What is spoken.
    pub(crate) revision: Revision,
    /// What the client can be asked.
    pub(crate) abilities: Abilities,
    /// From which level on it wants to hear messages.
    pub(crate) level: Option<Level>,
    /// Where they speak with us.
    pub(crate) opening: Opening,
    /// The group that they chose.
    pub(crate) group: Option<Chosen>,
    /// The session that the request belongs to, where there are any.
    pub(crate) session: Option<Arc<Session>>,
}

impl Peer {
    /// Knows a client by its session.
    pub(crate) fn of_session(session: Arc<Session>, guest: Guest) -> Self {
        let Guest { visitor, opening, group } = guest;
        Self {
            visitor,
            opening,
            group,
            revision: session.revision,
            abilities: session.abilities,
            level: session.level(),
            session: Some(session),
        }
    }

    /// Knows a client by what its request says.
    pub(crate) fn of_request(meta: Option<&Meta<'_>>, guest: Guest) -> Result<Self, Refusal> {
        let missing = |key: &str| {
            let why = format!("`params._meta` lacks `io.modelcontextprotocol/{key}`.");
            Refusal::invalid_meta(why)
        };
        let meta = meta.ok_or_else(|| missing("protocolVersion"))?;
        let revision = meta.revision.as_ref().ok_or_else(|| missing("protocolVersion"))?;
        let revision = Revision::from_name(&revision.0)
            .filter(|revision| revision.is_stateless())
            .ok_or_else(|| Refusal::unknown_revision(&revision.0))?;
        let said = meta.capabilities.as_ref().ok_or_else(|| missing("clientCapabilities"))?;
        let (abilities, level) = (Abilities::from(said), meta.level);
        let Guest { visitor, opening, group } = guest;
        Ok(Self { visitor, revision, abilities, level, opening, group, session: None })
    }
}
