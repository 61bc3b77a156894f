//! JSON documents out of a server's answer: one body, a list, lines, or server-sent events.

use std::ops::Range;

use serde_json::Value;

use super::{Line, Span, Step, loose::read_document};
use crate::{ProblemKind, cursor::Cursor, output::Output};

/// One JSON object of the answer.
#[derive(Debug)]
pub(crate) struct Document {
    /// The object.
    pub(crate) value: Value,
    /// Where it begins in the whole input.
    pub(crate) start: usize,
    /// The place behind it.
    pub(crate) end: usize,
}

impl Document {
    /// Returns where it stands in the whole input.
    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Takes the JSON objects out of an answer, however they are framed.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    span: Option<Span>,
    /// What stands on this line outside an object.
    line: Line,
}

impl Documents {
    /// Returns the next object; `None` when there is no more text for now.
    pub(crate) fn next(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> Option<Document> {
        loop {
            if self.span.is_none() && !self.seek(cursor, out) {
                return None;
            }
            let mut span = self.span.take()?;
            match span.read(cursor, &[]) {
                Step::Over | Step::Stopped => {
                    if let Some(document) = read(&span, out) {
                        return Some(document);
                    }
                }
                Step::More if cursor.is_last() => {
                    let message = "the answer ends inside a JSON object; what it holds is lost";
                    out.problem(ProblemKind::UnfinishedCall, span.start..span.end(), message);
                    return None;
                }
                Step::More => {
                    self.span = Some(span);
                    return None;
                }
            }
        }
    }

    /// Goes to the next object; what stands before it is framing, or text that is none.
    fn seek(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        loop {
            let (rest, offset) = (cursor.rest(), cursor.offset());
            let stop = rest.find(['{', '\n']);
            self.line.add(cursor.take(stop.unwrap_or(rest.len())), offset, out);
            match cursor.rest().bytes().next() {
                Some(b'{') => {
                    self.line.leave(out);
                    self.span = Some(Span::new(cursor.offset()));
                    return true;
                }
                Some(_) => {
                    self.line.leave(out);
                    cursor.take(1);
                }
                None => {
                    if cursor.is_last() {
                        self.line.leave(out);
                    }
                    return false;
                }
            }
        }
    }
}

fn read(span: &Span, out: &mut Output<'_>) -> Option<Document> {
    let (start, end) = (span.start, span.end());
    let Some(value) = read_document(&span.raw) else {
        let message = "this looks like a JSON object and is none; it was taken for text";
        out.problem(ProblemKind::MalformedInput, start..end, message);
        out.text(&span.raw, start);
        return None;
    };
    Some(Document { value, start, end })
}

/// Returns the text of a member; the empty text where there is none.
pub(crate) fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
