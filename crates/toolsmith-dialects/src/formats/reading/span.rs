//! A JSON value as it arrives, kept as text until it is over.

use memchr::memchr;

use super::look_any;
use crate::{
    JsonScanner,
    cursor::{Cursor, Look},
};

/// How far ahead an end marker is looked for at a time.
const NEAR: usize = 512;

/// How far a value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is no more text for now.
    More,
    /// The value is over.
    Over,
    /// An end marker stands before the end of the value.
    Stopped,
}

/// A JSON value as it arrives.
#[derive(Debug)]
pub(crate) struct Span {
    scanner: JsonScanner,
    /// What has arrived.
    pub(crate) raw: String,
    /// Where it begins in the whole input.
    pub(crate) start: usize,
}

impl Span {
    /// Begins a value at a place in the whole input.
    pub(crate) fn new(start: usize) -> Self {
        Self { scanner: JsonScanner::default(), raw: String::new(), start }
    }

    /// Reads on until the value is over, or one of the end markers stands outside a string.
    ///
    /// Inside a string an end marker is text: JSON that can be read wins over a marker. Behind a raw
    /// line break it is none: JSON has no such strings, so the string was not closed.
    pub(crate) fn read(&mut self, cursor: &mut Cursor<'_>, enders: &[&str]) -> Step {
        let first = enders.first().and_then(|ender| ender.bytes().next());
        while !cursor.is_empty() {
            // No further than near: a value that is over soon must not pay for all that follows.
            let rest = cursor.rest();
            let rest = rest.get(..rest.floor_char_boundary(NEAR)).unwrap_or(rest);
            let mark = first.and_then(|first| memchr(first, rest.as_bytes()));
            let is_text = self.scanner.is_in_string() && !self.raw.ends_with('\n');
            if mark == Some(0) && !is_text {
                match look_any(cursor.rest(), enders, cursor.more()) {
                    Look::Yes(_) => return Step::Stopped,
                    Look::Undecided => return Step::More,
                    Look::No => {}
                }
            }
            let len = match mark {
                Some(0) => 1,
                Some(len) => len,
                None => rest.len(),
            };
            let piece = rest.get(..len).unwrap_or(rest);
            let over = self.scanner.feed(piece);
            self.raw.push_str(cursor.take(over.unwrap_or(piece.len())));
            if over.is_some() {
                return Step::Over;
            }
        }
        Step::More
    }

    /// Returns the place behind what has arrived.
    pub(crate) fn end(&self) -> usize {
        self.start + self.raw.len()
    }
}
