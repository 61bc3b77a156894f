//! Reads messages and the events of their streams.

use serde_json::Value;

use super::super::reading::{
    Answer, Close, Document, Gathered, Mark, Piece, arguments_at, text_at,
};
use crate::output::Output;

/// What tells a message, a block with a call, or an event of a stream.
pub(super) static MARKS: [Mark; 4] = [
    Mark::Pair("type", "message"),
    Mark::Is("tool_use"),
    Mark::Is("message_start"),
    Mark::Begins("content_block_"),
];

/// Reads the dialect of Anthropic messages.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Gathered,
}

impl Answer for Reader {
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
            "tool_use" | "text" | "thinking" => self.block(value, Close::Finished, document, out),
            _ => self.message(value, document, out),
        }
    }

    fn calls(&mut self) -> &mut Gathered {
        &mut self.calls
    }
}

impl Reader {
    fn start(&mut self, block: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        out.text_in(&text_at(block, "text"), document.range());
        out.reasoning_in(&text_at(block, "thinking"), document.range());
        if block.get("type").and_then(Value::as_str) == Some("tool_use") {
            let is_given = block.get("input").is_some_and(|input| !is_empty(input));
            let arguments = if is_given { arguments_at(block, "input") } else { String::new() };
            self.piece(block, (key, &arguments), document, out);
        }
    }

    fn delta(&mut self, event: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let Some(delta) = event.get("delta") else { return };
        out.text_in(&text_at(delta, "text"), document.range());
        out.reasoning_in(&text_at(delta, "thinking"), document.range());
        if let Some(json) = delta.get("partial_json").and_then(Value::as_str) {
            self.piece(&Value::Null, (key, json), document, out);
        }
    }

    fn message(&mut self, message: &Value, document: &Document, out: &mut Output<'_>) {
        let content = message.get("content");
        if let Some(text) = content.and_then(Value::as_str) {
            return out.text_in(text, document.range());
        }
        let blocks = content.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_cut = message.get("stop_reason").and_then(Value::as_str).is_some_and(is_other_end);
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
            Some("text") => out.text_in(&text_at(block, "text"), document.range()),
            Some("thinking") => out.reasoning_in(&text_at(block, "thinking"), document.range()),
            Some("tool_use") => {
                let key = self.calls.whole_key();
                let input = arguments_at(block, "input");
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
        self.calls.add(&Piece::of(block, key, arguments, document.range()), out);
    }
}

/// Tells whether an answer ended otherwise than by the model's own choice; new words may come.
fn is_other_end(reason: &str) -> bool {
    !matches!(reason, "tool_use" | "end_turn" | "stop_sequence")
}

fn is_empty(input: &Value) -> bool {
    input.as_object().is_some_and(serde_json::Map::is_empty)
}
