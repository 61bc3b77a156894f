//! Reads answers of Gemini, whole or of a stream.

use serde_json::Value;

use super::super::reading::{Close, Document, Documents, Gathered, Piece, look_keys, text_at};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
};

/// Looks for an answer, or a part with a call.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look_keys(text, &["\"candidates\"", "\"functionCall\""], more)
}

/// Reads the dialect of Gemini.
#[derive(Debug, Default)]
pub(super) struct Reader {
    documents: Documents,
    calls: Gathered,
    read: u64,
}

impl Machine for Reader {
    fn advance(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        while let Some(document) = self.documents.next(cursor, out) {
            self.take(&document, out);
        }
    }
}

impl Reader {
    fn take(&mut self, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let candidate = value.pointer("/candidates/0");
        if let Some(reason) = candidate.and_then(|first| first.get("finishReason")?.as_str())
            && reason.contains("MALFORMED")
        {
            let message = "the server says that the model wrote a call it could not read";
            let range = document.start..document.end;
            out.problem(ProblemKind::MalformedInput, range, message);
        }
        let content = candidate.map_or(Some(value), |first| first.get("content"));
        match content.and_then(|content| content.get("parts")?.as_array()) {
            Some(parts) => parts.iter().for_each(|part| self.part(part, document, out)),
            None => self.part(value, document, out),
        }
    }

    fn part(&mut self, part: &Value, document: &Document, out: &mut Output<'_>) {
        if part.get("thought") == Some(&Value::Bool(true)) {
            return;
        }
        out.text(&text_at(part, "text"), document.start);
        let Some(call) = part.get("functionCall").or_else(|| part.get("function_call")) else {
            return;
        };
        self.read += 1;
        let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
        let piece = Piece {
            key: self.read,
            name: call.get("name").and_then(Value::as_str),
            id: call.get("id").and_then(Value::as_str),
            arguments: &arguments,
            range: document.start..document.end,
        };
        self.calls.add(&piece, out);
        self.calls.close(self.read, Close::Finished, out);
    }
}
