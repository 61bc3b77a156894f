//! JSON documents out of a server's answer: one body, a list, lines, or server-sent events.

use std::ops::Range;

use serde_json::Value;

use super::{Span, Step};
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
    /// What stands on this line outside an object, and where it begins.
    line: String,
    line_start: usize,
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
            if self.line.is_empty() {
                self.line_start = cursor.offset();
            }
            let rest = cursor.rest();
            let stop = rest.find(['{', '\n']);
            self.line.push_str(cursor.take(stop.unwrap_or(rest.len())));
            match cursor.rest().bytes().next() {
                Some(b'{') => {
                    self.leave_line(out);
                    self.span = Some(Span::new(cursor.offset()));
                    return true;
                }
                Some(_) => {
                    self.leave_line(out);
                    cursor.take(1);
                }
                None => {
                    if cursor.is_last() {
                        self.leave_line(out);
                    }
                    return false;
                }
            }
        }
    }

    fn leave_line(&mut self, out: &mut Output<'_>) {
        let line = std::mem::take(&mut self.line);
        if !is_framing(&line) {
            let range = self.line_start..self.line_start + line.len();
            let message = "this is neither JSON nor an event of a stream; it was taken for text";
            out.problem(ProblemKind::MalformedInput, range, message);
            out.text(&line, self.line_start);
        }
    }
}

fn read(span: &Span, out: &mut Output<'_>) -> Option<Document> {
    let (start, end) = (span.start, span.end());
    let Ok(value) = serde_json::from_str(&span.raw) else {
        let message = "this looks like a JSON object and is none; it was left out";
        out.problem(ProblemKind::MalformedInput, start..end, message);
        return None;
    };
    Some(Document { value, start, end })
}

/// The fields of an event of a stream, but for its data; the last one is a comment.
pub(crate) const FIELDS: [&str; 4] = ["event:", "id:", "retry:", ":"];

fn is_framing(line: &str) -> bool {
    let line = line.trim();
    let is_list = |text: &str| text.bytes().all(|byte| matches!(byte, b'[' | b']' | b',' | b' '));
    match line.strip_prefix("data:") {
        Some(payload) => is_list(payload) || payload.trim() == "[DONE]",
        None => is_list(line) || FIELDS.iter().any(|field| line.starts_with(field)),
    }
}

/// Returns the text of a member; the empty text where there is none.
pub(crate) fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
