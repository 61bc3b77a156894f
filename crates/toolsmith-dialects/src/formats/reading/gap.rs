//! Text between the parts of a call: left out, and noted when it is more than white space.

use std::ops::Range;

use super::{Found, find};
use crate::{ProblemKind, cursor::Cursor, output::Output};

/// The text between two parts of a call.
#[derive(Debug, Default)]
pub(crate) struct Gap {
    /// From the first to the last of what is more than white space; noted once, at the end.
    ignored: Option<Range<usize>>,
}

impl Gap {
    /// Goes to the next of some markers and returns its number; `None` when the text runs out.
    pub(crate) fn skip(
        &mut self,
        markers: &[&str],
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> Option<usize> {
        let found = find(cursor.rest(), markers, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        let start = cursor.offset();
        let text = cursor.take(before).trim_end_matches(is_blank);
        let skipped = text.trim_start_matches(is_blank);
        if !skipped.is_empty() {
            let from = start + text.len() - skipped.len();
            self.ignored.get_or_insert(from..from).end = start + text.len();
        }
        let which = match found {
            Found::Marker { which, .. } => Some(which),
            Found::Nothing { .. } => None,
        };
        if (which.is_some() || cursor.is_last())
            && let Some(ignored) = self.ignored.take()
        {
            let message = "text between the parts of a call was left out";
            out.problem(ProblemKind::IgnoredText, ignored, message);
        }
        which
    }
}

/// White space, and the backticks of a fence around a body.
fn is_blank(c: char) -> bool {
    c == '`' || c.is_whitespace()
}
