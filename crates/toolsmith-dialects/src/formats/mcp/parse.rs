//! Reads requests of the protocol.

use serde_json::Value;

use super::{
    super::reading::{Answer, Close, Document, Gathered, Mark, Piece, arguments_at},
    id,
};
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
        let id = value.get("id").and_then(id::to_text);
        let params = value.get("params").unwrap_or(&Value::Null);
        let arguments = arguments_at(params, "arguments");
        let piece = Piece {
            key,
            name: params.get("name").and_then(Value::as_str),
            id: id.as_deref(),
            arguments: &arguments,
            range: document.range(),
        };
        self.calls.add(&piece, out);
        self.calls.close(key, Close::Finished, out);
    }

    fn calls(&mut self) -> &mut Gathered {
        &mut self.calls
    }
}
