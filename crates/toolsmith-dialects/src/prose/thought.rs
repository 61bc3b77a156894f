//! The tags around what a model thinks aloud.

use crate::{
    ProblemKind,
    cursor::{Look, More, look_literal},
    output::Output,
};

/// The tags of reasoning: what opens it, and what closes it.
const TAGS: [(&str, &str); 3] =
    [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")];

/// A tag of reasoning, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThoughtTag {
    /// It begins.
    Open(usize),
    /// It ends.
    Close(usize),
}

impl ThoughtTag {
    /// Returns how long the tag is, in bytes.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Open(which) => TAGS.get(which).map_or(0, |(opener, _)| opener.len()),
            Self::Close(which) => TAGS.get(which).map_or(0, |(_, closer)| closer.len()),
        }
    }
}

/// Looks whether a text starts with a tag of reasoning.
pub(super) fn look_tag(text: &str, more: More) -> Look<ThoughtTag> {
    // The second byte lets go of nearly everything else.
    if text.as_bytes().get(1).is_some_and(|byte| !matches!(byte, b't' | b'T' | b'/')) {
        return Look::No;
    }
    let mut found = Look::No;
    for (which, (opener, closer)) in TAGS.iter().enumerate() {
        for (literal, tag) in
            [(opener, ThoughtTag::Open(which)), (closer, ThoughtTag::Close(which))]
        {
            match look_literal(text, literal, more) {
                Look::Yes(_) => return Look::Yes(tag),
                Look::Undecided => found = Look::Undecided,
                Look::No => {}
            }
        }
    }
    found
}

/// Reasoning that has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thought {
    /// The tag that opened it; `None` where the prompt did, so that any end tag ends it.
    which: Option<usize>,
    /// A call in it has been noted.
    pub(super) is_noted: bool,
}

impl Thought {
    /// Begins reasoning that the prompt opened.
    pub(super) fn begun() -> Self {
        Self { which: None, is_noted: false }
    }

    /// Begins reasoning behind a tag.
    pub(super) fn opened(which: usize) -> Self {
        Self { which: Some(which), is_noted: false }
    }

    /// Looks for its end tag; returns the length of that.
    pub(super) fn look_end(&self, text: &str, more: More) -> Look<usize> {
        match look_tag(text, more) {
            Look::Yes(tag @ ThoughtTag::Close(which)) if self.is_ended_by(which) => {
                Look::Yes(tag.len())
            }
            Look::Yes(_) | Look::No => Look::No,
            Look::Undecided => Look::Undecided,
        }
    }

    fn is_ended_by(&self, tag: usize) -> bool {
        self.which.is_none_or(|which| which == tag)
    }

    /// Notes a call inside it, once.
    pub(super) fn note(&mut self, at: usize, out: &mut Output<'_>) {
        self.is_noted = true;
        let message = "a call inside the model's reasoning was not taken for one";
        out.problem(ProblemKind::ThoughtCall, at..at + 1, message);
    }
}
