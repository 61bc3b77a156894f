//! Reads messages and the events of their streams.

use serde_json::Value;

use super::super::reading::{Close, Document, Documents, Gathered, Piece, look_keys, text_at};
use crate::{
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
};

/// Looks for a message, a block with a call, or an event of a stream.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    let keys = ["\"type\":\"message\"", "\"tool_use\"", "\"message_start\"", "\"content_block_"];
    look_keys(text, &keys, more)
}

/// Reads the dialect of Anthropic messages.
#[derive(Debug, Default)]
pub(super) struct Reader {
    documents: Documents,
    calls: Gathered,
    /// How many whole blocks were read; their keys are behind those of streamed ones.
    whole: u64,
}

impl Machine for Reader {
    fn advance(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        while let Some(document) = self.documents.next(cursor, out) {
            self.take(&document, out);
        }
        if cursor.is_last() {
            self.calls.close_all(Close::CutOff, out);
        }
    }
}

impl Reader {
    fn take(&mut self, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let key = value.get("index").and_then(Value::as_u64).unwrap_or_default();
        match value.get("type").and_then(Value::as_str).unwrap_or_default() {
            "content_block_start" => {
                if let Some(block) = value.get("content_block") {
                    self.start(block, key, document, out);
                }
            }
            "content_block_delta" => self.delta(value, key, document, out),
            "content_block_stop" => self.calls.close(key, Close::Stopped, out),
            "message_start" | "message_delta" | "message_stop" | "ping" => {}
            "tool_use" | "text" => self.block(value, Close::Finished, document, out),
            _ => self.message(value, document, out),
        }
    }

    fn start(&mut self, block: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        out.text(&text_at(block, "text"), document.start);
        if block.get("type").and_then(Value::as_str) == Some("tool_use") {
            let input = block.get("input").filter(|input| !is_empty(input));
            let arguments = input.map(Value::to_string).unwrap_or_default();
            self.piece(block, (key, &arguments), document, out);
        }
    }

    fn delta(&mut self, event: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let Some(delta) = event.get("delta") else { return };
        out.text(&text_at(delta, "text"), document.start);
        if let Some(json) = delta.get("partial_json").and_then(Value::as_str) {
            self.piece(&Value::Null, (key, json), document, out);
        }
    }

    fn message(&mut self, message: &Value, document: &Document, out: &mut Output<'_>) {
        let content = message.get("content");
        if let Some(text) = content.and_then(Value::as_str) {
            return out.text(text, document.start);
        }
        let blocks = content.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_cut = message.get("stop_reason").and_then(Value::as_str) == Some("max_tokens");
        for (place, block) in blocks.iter().enumerate() {
            // Only the last block can be the one that was cut off.
            let close =
                if is_cut && place + 1 == blocks.len() { Close::CutOff } else { Close::Finished };
            self.block(block, close, document, out);
        }
    }

    /// Reads a whole block.
    fn block(&mut self, block: &Value, close: Close, document: &Document, out: &mut Output<'_>) {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => out.text(&text_at(block, "text"), document.start),
            Some("tool_use") => {
                self.whole += 1;
                let key = u64::MAX - self.whole;
                let input = block.get("input").map(Value::to_string).unwrap_or_default();
                // The server closes the brackets of an input that was cut off: it looks whole.
                let input = match close {
                    Close::CutOff => input.trim_end_matches('}').to_owned(),
                    Close::Finished | Close::Stopped => input,
                };
                self.piece(block, (key, &input), document, out);
                self.calls.close(key, close, out);
            }
            _ => {}
        }
    }

    fn piece(
        &mut self,
        block: &Value,
        (key, arguments): (u64, &str),
        document: &Document,
        out: &mut Output<'_>,
    ) {
        let piece = Piece {
            key,
            name: block.get("name").and_then(Value::as_str),
            id: block.get("id").and_then(Value::as_str),
            arguments,
            range: document.start..document.end,
        };
        self.calls.add(&piece, out);
    }
}

fn is_empty(input: &Value) -> bool {
    input.as_object().is_some_and(serde_json::Map::is_empty)
}
