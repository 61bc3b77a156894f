//! Reads responses and the events of their streams.

use serde_json::Value;

use super::super::reading::{Close, Document, Documents, Gathered, Piece, look_keys, text_at};
use crate::{
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
};

/// Looks for a response, an item with a call, or an event of a stream.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look_keys(text, &["\"object\":\"response\"", "\"function_call\"", "\"type\":\"response."], more)
}

/// Reads the dialect of `OpenAI` responses.
#[derive(Debug, Default)]
pub(super) struct Reader {
    documents: Documents,
    calls: Gathered,
    /// How many whole items were read; their keys are behind those of streamed ones.
    whole: u64,
    /// A stream tells everything twice: in events, and in the response at its end.
    is_stream: bool,
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

    fn event(&mut self, kind: &str, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let key = value.get("output_index").and_then(Value::as_u64).unwrap_or_default();
        match kind {
            "response.output_text.delta" => {
                out.text(&text_at(value, "delta"), document.start);
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
                    range: document.start..document.end,
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
            self.whole += 1;
            let key = u64::MAX - self.whole;
            self.piece(item, key, document, out);
            return self.calls.close(key, close(item), out);
        }
        let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
        for part in parts.filter(|part| part.get("type") == Some(&"output_text".into())) {
            out.text(&text_at(part, "text"), document.start);
        }
    }

    fn piece(&mut self, item: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let piece = Piece {
            key,
            name: item.get("name").and_then(Value::as_str),
            id: item.get("call_id").or_else(|| item.get("id")).and_then(Value::as_str),
            arguments: &text_at(item, "arguments"),
            range: document.start..document.end,
        };
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
