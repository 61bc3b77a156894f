//! Reads responses and the events of their streams.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::reading::{
    Answer, Close, Document, Gathered, Mark, Piece, arguments_at, text_at,
};
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
    /// The items that were added and are not done.
    added: BTreeSet<u64>,
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
            Some(items) => {
                for (place, item) in items.iter().enumerate() {
                    let is_last = place + 1 == items.len();
                    self.item(item, close_of_answer(value, is_last), document, out);
                }
            }
            None => self.item(value, Close::Stopped, document, out),
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
                    self.added.insert(key);
                    self.piece(item, key, document, out);
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                let arguments = text_at(value, "delta");
                let piece = Piece::of(&Value::Null, key, &arguments, document.range());
                self.calls.add(&piece, out);
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                let arguments = arguments_of(value);
                let piece = Piece::of(&Value::Null, key, &arguments, document.range());
                self.calls.complete(&piece, out);
            }
            "response.output_item.done" => {
                if let Some(item) = value.get("item").filter(|item| is_call(item)) {
                    self.done(item, key, document, out);
                }
            }
            _ => {}
        }
    }

    fn done(&mut self, item: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let was_added = self.added.remove(&key);
        if self.calls.has(key) {
            let arguments = arguments_of(item);
            self.calls.complete(&of_item(item, key, &arguments, document), out);
        } else if was_added {
            // Its arguments were whole when another call began, so it has been told already.
            return;
        } else {
            self.piece(item, key, document, out);
        }
        self.calls.close(key, close(item, Close::Stopped), out);
    }

    /// Reads a whole item; `otherwise` is how it ended if it does not say so itself.
    fn item(&mut self, item: &Value, otherwise: Close, document: &Document, out: &mut Output<'_>) {
        if is_call(item) {
            let key = self.calls.whole_key();
            self.piece(item, key, document, out);
            return self.calls.close(key, close(item, otherwise), out);
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
        let arguments = arguments_of(item);
        self.calls.add(&of_item(item, key, &arguments, document), out);
    }
}

/// Makes a piece of an item; the identifier that results refer to is not that of the item.
fn of_item<'a>(item: &'a Value, key: u64, arguments: &'a str, document: &Document) -> Piece<'a> {
    let id = item.get("call_id").or_else(|| item.get("id")).and_then(Value::as_str);
    Piece { id, ..Piece::of(item, key, arguments, document.range()) }
}

/// Returns the arguments of an item or an event; those of custom tools are any text.
fn arguments_of(value: &Value) -> String {
    let key = if value.get("input").is_some() { "input" } else { "arguments" };
    match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        _ => arguments_at(value, key),
    }
}

fn is_call(item: &Value) -> bool {
    let kind = item.get("type").and_then(Value::as_str);
    matches!(kind, Some("function_call" | "custom_tool_call"))
}

/// Tells by the status of a whole answer how an item ended that has none of its own.
fn close_of_answer(answer: &Value, is_last: bool) -> Close {
    match answer.get("status").and_then(Value::as_str) {
        Some("completed") => Close::Finished,
        // Only the last item can be the one that was cut off.
        Some(_) if is_last => Close::CutOff,
        _ => Close::Stopped,
    }
}

/// Tells how an item ended; only one word says that it is whole.
fn close(item: &Value, otherwise: Close) -> Close {
    match item.get("status").and_then(Value::as_str) {
        Some("completed") => Close::Finished,
        Some(_) => Close::CutOff,
        None => otherwise,
    }
}
