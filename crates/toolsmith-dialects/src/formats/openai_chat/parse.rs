//! Reads answers and chunks of chat completions.

use serde_json::Value;

use super::super::reading::{Close, Document, Documents, Gathered, Piece, look_keys, text_at};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
};

/// Looks for an answer, a chunk, or a message with calls.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look_keys(text, &["\"chat.completion", "\"tool_calls\"", "\"choices\""], more)
}

/// Reads the dialect of `OpenAI` chat completions.
#[derive(Debug, Default)]
pub(super) struct Reader {
    documents: Documents,
    calls: Gathered,
    /// How many whole calls were read; their keys are behind those of streamed ones.
    whole: u64,
    /// Another choice than the first was met.
    has_others: bool,
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
        let Some(choices) = value.get("choices").and_then(Value::as_array) else {
            let finish = value.get("finish_reason");
            return self.message(value, finish, document, out);
        };
        for choice in choices {
            if choice.get("index").and_then(Value::as_u64).unwrap_or_default() > 0 {
                self.note_others(document, out);
                continue;
            }
            let finish = choice.get("finish_reason");
            if let Some(message) = choice.get("message") {
                self.message(message, finish, document, out);
            }
            if let Some(delta) = choice.get("delta") {
                self.delta(delta, document, out);
            }
            if let Some(reason) = finish.and_then(Value::as_str) {
                self.calls.close_all(close(reason), out);
            }
        }
    }

    fn note_others(&mut self, document: &Document, out: &mut Output<'_>) {
        if !self.has_others {
            self.has_others = true;
            let message = "the answer has several choices; only the first was read";
            out.problem(ProblemKind::IgnoredText, document.start..document.end, message);
        }
    }

    /// Reads a whole message, or one call of a list.
    fn message(
        &mut self,
        message: &Value,
        finish: Option<&Value>,
        document: &Document,
        out: &mut Output<'_>,
    ) {
        out.text(&text_at(message, "content"), document.start);
        let listed = message.get("tool_calls").and_then(Value::as_array);
        let single = message.get("function").map(|_| message);
        let older = message.get("function_call");
        let calls = listed.into_iter().flatten().chain(single).chain(older);
        for call in calls {
            self.whole += 1;
            self.piece(call, u64::MAX - self.whole, document, out);
        }
        let reason = finish.and_then(Value::as_str).unwrap_or_default();
        self.calls.close_all(close(reason), out);
    }

    fn delta(&mut self, delta: &Value, document: &Document, out: &mut Output<'_>) {
        out.text(&text_at(delta, "content"), document.start);
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for (place, call) in calls.into_iter().flatten().enumerate() {
            let key = call.get("index").and_then(Value::as_u64);
            self.piece(call, key.unwrap_or(place as u64), document, out);
        }
    }

    fn piece(&mut self, call: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let function = call.get("function").unwrap_or(call);
        // Some servers send the arguments as an object.
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(value) => value.to_string(),
        };
        let piece = Piece {
            key,
            name: function.get("name").and_then(Value::as_str),
            id: call.get("id").and_then(Value::as_str),
            arguments: &arguments,
            range: document.start..document.end,
        };
        self.calls.add(&piece, out);
    }
}

fn close(reason: &str) -> Close {
    match reason {
        "length" | "content_filter" => Close::CutOff,
        _ => Close::Finished,
    }
}
