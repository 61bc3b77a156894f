//! Reads requests of the protocol.

use serde_json::Value;

use super::super::reading::{Close, Document, Documents, Gathered, Piece, look_keys};
use crate::{
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
};

/// Looks for a request.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look_keys(text, &["\"tools/call\""], more)
}

/// Reads the dialect of the Model Context Protocol.
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
        if value.get("method").and_then(Value::as_str) != Some("tools/call") {
            return;
        }
        self.read += 1;
        let id = match value.get("id") {
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        };
        let arguments = value.pointer("/params/arguments").map(Value::to_string);
        let piece = Piece {
            key: self.read,
            name: value.pointer("/params/name").and_then(Value::as_str),
            id: id.as_deref(),
            arguments: &arguments.unwrap_or_default(),
            range: document.start..document.end,
        };
        self.calls.add(&piece, out);
        self.calls.close(self.read, Close::Finished, out);
    }
}
