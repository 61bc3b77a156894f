//! The lines of a stream of server-sent events before its first document.

use super::{FIELDS, look_any};
use crate::cursor::{Cursor, Look, More, look_literal};

/// The longest line that is taken for a field of an event.
const LONGEST_LINE: usize = 256;
/// How much is held back while it may be the start of a stream.
const MOST: usize = 4_096;

/// What stands before the first document of a reply; text, unless a document follows.
#[derive(Debug, Default)]
pub(crate) struct Lead {
    held: String,
}

impl Lead {
    /// Reads up to what `look` finds in a place where a document can begin.
    pub(crate) fn read<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        look: impl Fn(&str, More) -> Look<T>,
    ) -> Look<T> {
        while self.held.len() < MOST {
            self.held.push_str(cursor.take_space());
            let (rest, more) = (cursor.rest(), cursor.more());
            if rest.is_empty() {
                return if cursor.is_last() { Look::No } else { Look::Undecided };
            }
            if rest.starts_with(['{', '[']) {
                return look(rest, more);
            }
            match look_literal(rest, "data:", more) {
                Look::Yes(len) => self.held.push_str(cursor.take(len)),
                Look::Undecided => return Look::Undecided,
                Look::No => match look_line(rest, more) {
                    Look::Yes(len) => self.held.push_str(cursor.take(len)),
                    Look::No => return Look::No,
                    Look::Undecided => return Look::Undecided,
                },
            }
        }
        Look::No
    }

    /// Returns what was read.
    pub(crate) fn into_text(self) -> String {
        self.held
    }
}

/// Looks for a field of an event that fills its line; returns the length of the line.
///
/// A line with a byte that may open a call is prose, whether its end has come or not: nothing that
/// follows may make a call out of what was text.
fn look_line(text: &str, more: More) -> Look<usize> {
    look_any(text, &FIELDS, more).and_then(|_| {
        let near = text.as_bytes().get(..LONGEST_LINE).unwrap_or(text.as_bytes());
        let telling = near.iter().position(|byte| b"\n<[{".contains(byte));
        match telling.and_then(|at| near.get(at).map(|byte| (at, byte))) {
            Some((end, b'\n')) => Look::Yes(end + 1),
            None if near.len() < LONGEST_LINE && more == More::MayCome => Look::Undecided,
            _ => Look::No,
        }
    })
}
