//! The part of the input that a machine has before it.

use std::ops::Range;

/// Whether more text may follow what a machine has before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum More {
    /// It may.
    MayCome,
    /// This is the end of the input.
    Never,
}

/// What a look at the start of a text found.
///
/// The law that makes splits harmless: whatever a look answers for a text, other than `Undecided`,
/// it answers for every longer text that starts with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look<T> {
    /// The thing is there.
    Yes(T),
    /// It is not.
    No,
    /// The text ends before that can be said.
    Undecided,
}

impl<T> Look<T> {
    /// Changes what was found.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Look<U> {
        self.and_then(|thing| Look::Yes(change(thing)))
    }

    /// Looks further, where something was found.
    pub(crate) fn and_then<U>(self, look: impl FnOnce(T) -> Look<U>) -> Look<U> {
        match self {
            Self::Yes(thing) => look(thing),
            Self::No => Look::No,
            Self::Undecided => Look::Undecided,
        }
    }
}

/// A place in the text that a machine has before it.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    base: usize,
    more: More,
}

impl<'a> Cursor<'a> {
    /// Stands at the start of a text whose first byte is number `base` of the whole input.
    pub(crate) fn new(text: &'a str, base: usize, more: More) -> Self {
        Self { text, at: 0, base, more }
    }

    /// Returns what has not been read.
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Tells whether all has been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Tells whether more text may follow.
    pub(crate) fn more(&self) -> More {
        self.more
    }

    /// Tells whether this is the end of the whole input.
    pub(crate) fn is_last(&self) -> bool {
        self.more == More::Never
    }

    /// Returns the place in the whole input, in bytes.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Returns the range in the whole input of the next `len` bytes.
    pub(crate) fn range(&self, len: usize) -> Range<usize> {
        self.offset()..self.offset() + len
    }

    /// Reads `len` bytes; they must end at a character boundary, or nothing is read.
    pub(crate) fn take(&mut self, len: usize) -> &'a str {
        let taken = self.rest().get(..len).unwrap_or_default();
        self.at += taken.len();
        taken
    }

    /// Reads white space.
    pub(crate) fn take_space(&mut self) -> &'a str {
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_whitespace).count();
        self.take(len)
    }

    /// Returns how many bytes have been read.
    pub(crate) fn read(&self) -> usize {
        self.at
    }
}

/// Looks whether a text starts with a literal.
pub(crate) fn look_literal(text: &str, literal: &str, more: More) -> Look<usize> {
    if text.starts_with(literal) {
        return Look::Yes(literal.len());
    }
    if more == More::MayCome && text.len() < literal.len() && literal.starts_with(text) {
        return Look::Undecided;
    }
    Look::No
}
