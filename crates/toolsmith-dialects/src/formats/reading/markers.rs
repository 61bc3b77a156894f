//! Finds the fixed words of a dialect in a stream.

use memchr::memchr;

use crate::cursor::{Look, More, look_literal};

/// What a search for markers found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Marker number `which` stands behind `before` bytes.
    Marker { before: usize, which: usize },
    /// The first `clear` bytes hold none and begin none.
    Nothing { clear: usize },
}

/// Finds the first of several markers, which all begin with the same ASCII character.
pub(crate) fn find(text: &str, markers: &[&str], more: More) -> Found {
    let first = markers.first().and_then(|marker| marker.bytes().next()).unwrap_or_default();
    let mut at = 0;
    while let Some(skip) = memchr(first, text.as_bytes().get(at..).unwrap_or_default()) {
        at += skip;
        match look_any(text.get(at..).unwrap_or_default(), markers, more) {
            Look::Yes(which) => return Found::Marker { before: at, which },
            Look::Undecided => return Found::Nothing { clear: at },
            Look::No => at += 1,
        }
    }
    Found::Nothing { clear: text.len() }
}

/// Looks whether a text starts with one of several markers; none is the start of another.
pub(crate) fn look_any(text: &str, markers: &[&str], more: More) -> Look<usize> {
    let mut found = Look::No;
    for (which, marker) in markers.iter().enumerate() {
        match look_literal(text, marker, more) {
            Look::Yes(_) => return Look::Yes(which),
            Look::Undecided => found = Look::Undecided,
            Look::No => {}
        }
    }
    found
}

/// The most white space that a look goes through.
const MOST_SPACE: usize = 64;

/// Looks behind white space; says `No` where there is too much of it to look through.
pub(crate) fn look_word<T>(
    text: &str,
    more: More,
    look: impl Fn(&str, More) -> Look<T>,
) -> Look<T> {
    let word = text.trim_ascii_start();
    let space = text.len() - word.len();
    if space > MOST_SPACE {
        return Look::No;
    }
    if word.is_empty() && more == More::MayCome {
        return Look::Undecided;
    }
    look(word, more)
}
