//! Reads requests of the protocol.

use serde_json::Value;

use super::super::reading::{Answer, Close, Document, Gathered, Mark, Piece};
use crate::output::Output;

/// What tells a request.
pub(super) static MARKS: [Mark; 1] = [Mark::Is("tools/call")];

/// Reads the dialect of the Model Context Protocol.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Gathered,
}

impl Answer for Reader {
    fn take(&mut self, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        if value.get("method").and_then(Value::as_str) != Some("tools/call") {
            return;
        }
        let key = self.calls.whole_key();
        let id = match value.get("id") {
            Some(Value::String(id)) => Some(id.clone()),
            Some(Value::Number(id)) => Some(id.to_string()),
            _ => None,
        };
        let arguments = value.pointer("/params/arguments").map(Value::to_string);
        let piece = Piece {
            key,
            name: value.pointer("/params/name").and_then(Value::as_str),
            id: id.as_deref(),
            arguments: &arguments.unwrap_or_default(),
            range: document.range(),
        };
        self.calls.add(&piece, out);
        self.calls.close(key, Close::Finished, out);
    }

    fn calls(&mut self) -> &mut Gathered {
        &mut self.calls
    }
}
