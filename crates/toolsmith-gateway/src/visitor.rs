//! Who stands at the door.

use axum::{extract::FromRequestParts, http::request::Parts};
use toolsmith_core::{Rights, Role, Text};

use crate::http::Failure;

/// Who stands at the door, and what they may do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Visitor {
    /// By which name their calls are recorded.
    pub(crate) id: Text,
    /// What they may see and do.
    pub(crate) rights: Rights,
    /// By what they were let in.
    pub(crate) entrance: Entrance,
}

/// By what somebody was let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entrance {
    /// They are on this machine.
    Place,
    /// They know the secret of this run.
    Secret,
    /// They have a key.
    Key,
    /// They have a token of an issuer.
    Token,
}

impl Visitor {
    /// Makes the visitor that nobody asked for a name: someone on this machine.
    pub(crate) fn local() -> Self {
        let rights = Rights { role: Role::Admin, ..Rights::default() };
        Self { id: "local".into(), rights, entrance: Entrance::Place }
    }

    /// Makes the same visitor where others have names: one caller among them.
    pub(crate) fn unnamed() -> Self {
        let local = Self::local();
        Self { rights: Rights { role: Role::Caller, ..local.rights }, ..local }
    }

    /// Returns whoever was let in by a name; nobody else is in.
    pub(crate) fn known(visitor: Option<Self>) -> Result<Self, Failure> {
        visitor.ok_or_else(|| Failure::unauthenticated("Send a key."))
    }

    /// Makes the visitor who knows the secret of this run: whoever started the program.
    pub(crate) fn operator() -> Self {
        Self { id: "operator".into(), entrance: Entrance::Secret, ..Self::local() }
    }

    /// Tells whether they came without a key or token: from this machine.
    pub(crate) fn is_keyless(&self) -> bool {
        matches!(self.entrance, Entrance::Place | Entrance::Secret)
    }

    /// Tells whether their token would have to be for more before they can call anything.
    pub(crate) fn lacks_scope(&self) -> bool {
        self.entrance == Entrance::Token && self.rights.role == Role::Viewer
    }

    /// Tells whether they may do everything.
    pub(crate) fn is_admin(&self) -> bool {
        self.rights.role == Role::Admin
    }

    /// Tells whether they may see what belongs to a caller.
    pub(crate) fn may_see(&self, owner: Option<&Text>) -> bool {
        self.is_admin() || owner == Some(&self.id)
    }

    /// Refuses whoever may not do everything.
    pub(crate) fn must_be_admin(&self) -> Result<(), Failure> {
        match self.rights.role {
            Role::Admin => Ok(()),
            Role::Caller | Role::Viewer => {
                Err(Failure::forbidden("Only an administrator's key opens this address."))
            }
        }
    }

    /// Refuses whoever may not do everything, and whoever has not said who they are.
    ///
    /// Any account of this machine can come without a key, and a caller can leave its own away:
    /// neither may define what runs, nor decide about calls.
    pub(crate) fn must_be_known_admin(&self) -> Result<(), Failure> {
        self.must_be_admin()?;
        if *self != Self::local() {
            return Ok(());
        }
        let message = "This needs an administrator's key (`toolsmith keys create NAME --role \
                       admin`), or the words of `toolsmith` at the shell.";
        Err(Failure::forbidden(message))
    }
}

/// Handlers get the visitor from the layer that let it in; without that layer, nobody is in.
impl<S: Send + Sync> FromRequestParts<S> for Visitor {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        Self::known(parts.extensions.get::<Self>().cloned())
    }
}
