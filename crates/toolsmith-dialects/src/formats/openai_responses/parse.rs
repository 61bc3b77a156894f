//! Reads responses and the events of their streams.

use serde_json::Value;

use super::super::reading::{Answer, Close, Document, Gathered, Mark, Piece, text_at};
use crate::output::Output;

/// What tells a response, an item with a call, or an event of a stream.
pub(super) static MARKS: [Mark; 3] = [
    Mark::Pair("object", "response"),
    Mark::Is("function_call"),
    Mark::PairBegins("type", "response."),
];

/// Reads the dialect of `OpenAI` responses.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Gathered,
    /// A stream tells everything twice: in events, and in the response at its end.
    is_stream: bool,
}

impl Answer for Reader {
    fn take(&mut self, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind.starts_with("response.") {
            self.is_stream = true;
            return self.event(kind, document, out);
        }
        if self.is_stream {
            return;
        }
        match value.get("output").and_then(Value::as_array) {
            Some(items) => items.iter().for_each(|item| self.item(item, document, out)),
            None => self.item(value, document, out),
        }
    }

    fn calls(&mut self) -> &mut Gathered {
        &mut self.calls
    }
}

impl Reader {
    fn event(&mut self, kind: &str, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let key = value.get("output_index").and_then(Value::as_u64).unwrap_or_default();
        match kind {
            "response.output_text.delta" => {
                out.text_in(&text_at(value, "delta"), document.range());
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                out.reasoning_in(&text_at(value, "delta"), document.range());
            }
            "response.output_item.added" => {
                if let Some(item) = value.get("item").filter(|item| is_call(item)) {
                    self.piece(item, key, document, out);
                }
            }
            "response.function_call_arguments.delta" => {
                let piece = Piece {
                    key,
                    arguments: &text_at(value, "delta"),
                    range: document.range(),
                    ..Piece::default()
                };
                self.calls.add(&piece, out);
            }
            "response.output_item.done" => {
                let Some(item) = value.get("item").filter(|item| is_call(item)) else { return };
                if !self.calls.has(key) {
                    self.piece(item, key, document, out);
                }
                self.calls.close(key, close(item), out);
            }
            _ => {}
        }
    }

    fn item(&mut self, item: &Value, document: &Document, out: &mut Output<'_>) {
        if is_call(item) {
            let key = self.calls.whole_key();
            self.piece(item, key, document, out);
            return self.calls.close(key, close(item), out);
        }
        let parts = ["summary", "content"].iter().filter_map(|key| item.get(*key)?.as_array());
        for part in parts.flatten() {
            let text = text_at(part, "text");
            match part.get("type").and_then(Value::as_str) {
                Some("output_text") => out.text_in(&text, document.range()),
                Some("reasoning_text" | "summary_text") => {
                    out.reasoning_in(&text, document.range());
                }
                _ => {}
            }
        }
    }

    fn piece(&mut self, item: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let id = item.get("call_id").or_else(|| item.get("id")).and_then(Value::as_str);
        let arguments = text_at(item, "arguments");
        let piece = Piece { id, ..Piece::of(item, key, &arguments, document.range()) };
        self.calls.add(&piece, out);
    }
}

fn is_call(item: &Value) -> bool {
    item.get("type").and_then(Value::as_str) == Some("function_call")
}

fn close(item: &Value) -> Close {
    match item.get("status").and_then(Value::as_str) {
        Some("incomplete" | "in_progress") => Close::CutOff,
        _ => Close::Finished,
    }
}
