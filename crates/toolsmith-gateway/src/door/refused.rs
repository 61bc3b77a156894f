//! Why somebody is not let in, for them and for the log.

use toolsmith_core::Text;

use crate::http::Failure;

/// Why somebody is not let in.
#[derive(Debug)]
pub(super) struct Refused {
    /// What they are told.
    pub(super) failure: Failure,
    /// Who it was, as far as that is known.
    pub(super) who: Option<Text>,
    /// Whether they showed something that should have opened the door, and does not.
    pub(super) is_wrong: bool,
}

impl Refused {
    /// Refuses a key or token that does not open the door.
    pub(super) fn credential(why: &'static str) -> Self {
        Self { is_wrong: true, ..Failure::unauthenticated(why).into() }
    }

    /// Says who it was.
    pub(super) fn by(mut self, who: Option<Text>) -> Self {
        self.who = who;
        self
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self { failure, who: None, is_wrong: false }
    }
}
