//! The revisions of the protocol, and what differs between them.

/// A revision of the protocol; later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Revision {
    /// The first one.
    Nov2024,
    /// Brought the HTTP transport and audio.
    Mar2025,
    /// Brought structured output and titles.
    Jun2025,
    /// The last one with sessions.
    Nov2025,
    /// The first one without: every request says who sends it and what it can do.
    Jul2026,
}

impl Revision {
    /// Every revision that is spoken here, the newest first.
    pub(crate) const ALL: [Self; 5] =
        [Self::Jul2026, Self::Nov2025, Self::Jun2025, Self::Mar2025, Self::Nov2024];

    /// The newest one that begins with `initialize`.
    pub(crate) const NEWEST_WITH_SESSIONS: Self = Self::Nov2025;

    /// Returns the name of the protocol.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Nov2024 => "2024-11-05",
            Self::Mar2025 => "2025-03-26",
            Self::Jun2025 => "2025-06-18",
            Self::Nov2025 => "2025-11-25",
            Self::Jul2026 => "2026-07-28",
        }
    }

    /// Finds the revision of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// Picks what to speak with a client that begins with `initialize` and wants some revision.
    pub(crate) fn agreed(wanted: &str) -> Self {
        let known = Self::from_name(wanted).filter(|revision| !revision.is_stateless());
        known.unwrap_or(Self::NEWEST_WITH_SESSIONS)
    }

    /// Tells whether every request stands for itself.
    pub(crate) fn is_stateless(self) -> bool {
        self >= Self::Jul2026
    }

    /// Tells whether an output can be told as a value besides its text.
    pub(crate) fn has_structured_output(self) -> bool {
        self >= Self::Jun2025
    }

    /// Tells whether such a value may be other than an object.
    pub(crate) fn has_any_structure(self) -> bool {
        self >= Self::Jul2026
    }

    /// Tells whether tools, prompts and resources have titles for people.
    pub(crate) fn has_titles(self) -> bool {
        self >= Self::Jun2025
    }

    /// Tells whether tools say what they do to the world.
    pub(crate) fn has_annotations(self) -> bool {
        self >= Self::Mar2025
    }

    /// Tells whether completion is announced as something that a server can do.
    pub(crate) fn announces_completion(self) -> bool {
        self >= Self::Mar2025
    }

    /// Tells whether clients wish that a call becomes a task; later on the server decides.
    pub(crate) fn has_tasks(self) -> bool {
        self == Self::Nov2025
    }

    /// Tells whether an answer may point to a resource without containing it.
    pub(crate) fn has_links(self) -> bool {
        self >= Self::Jun2025
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_wants_is_spoken_where_it_begins_with_a_session() {
        for revision in Revision::ALL {
            assert_eq!(Revision::from_name(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::agreed("2025-03-26"), Revision::Mar2025);
        assert_eq!(Revision::agreed("2026-07-28"), Revision::Nov2025);
        assert_eq!(Revision::agreed("1999-01-01"), Revision::Nov2025);
    }
}
