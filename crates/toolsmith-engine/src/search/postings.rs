//! The tools that hold one term, four bytes each.

/// How many slots a posting can tell apart.
pub(super) const SLOTS: u32 = 1 << 24;

/// A tool's slot and how much a term says about the tool, in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Posting(u32);

impl Posting {
    /// Packs a slot below [`SLOTS`] and an impact.
    pub(super) fn new(slot: u32, impact: u8) -> Self {
        Self(slot << 8 | u32::from(impact))
    }

    /// Returns the slot.
    pub(super) fn slot(self) -> u32 {
        self.0 >> 8
    }

    /// Returns the impact, from 0 to 255.
    pub(super) fn impact(self) -> u8 {
        self.0.to_le_bytes()[0]
    }
}

/// The postings of one term, in no order.
///
/// Most terms are held by one tool only, and these need no memory of their own.
#[derive(Clone, Debug)]
pub(super) enum Postings {
    /// One tool.
    One(Posting),
    /// Any number of tools.
    Many(Vec<Posting>),
}

impl Postings {
    /// Returns the postings as a slice.
    pub(super) fn as_slice(&self) -> &[Posting] {
        match self {
            Self::One(posting) => std::slice::from_ref(posting),
            Self::Many(postings) => postings,
        }
    }

    /// Adds a tool that is not there yet.
    pub(super) fn add(&mut self, posting: Posting) {
        match self {
            Self::One(only) => *self = Self::Many(vec![*only, posting]),
            Self::Many(postings) => postings.push(posting),
        }
    }

    /// Takes a tool out.
    pub(super) fn remove(&mut self, slot: u32) {
        match self {
            Self::One(only) if only.slot() == slot => *self = Self::Many(Vec::new()),
            Self::One(_) => {}
            Self::Many(postings) => {
                if let Some(at) = postings.iter().position(|posting| posting.slot() == slot) {
                    postings.swap_remove(at);
                }
                if postings.len() < postings.capacity() / 4 {
                    postings.shrink_to(postings.len() * 2);
                }
            }
        }
    }
}
