//! Reads answers and chunks of chat completions.

use serde_json::Value;

use super::super::reading::{Answer, Close, Document, Gathered, Mark, Piece, text_at};
use crate::{ProblemKind, output::Output};

/// What tells an answer, a chunk, or a message with calls.
pub(super) static MARKS: [Mark; 3] =
    [Mark::Begins("chat.completion"), Mark::Is("tool_calls"), Mark::Is("choices")];

/// Reads the dialect of `OpenAI` chat completions.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Gathered,
    /// Another choice than the first was met.
    has_others: bool,
}

impl Answer for Reader {
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

    fn calls(&mut self) -> &mut Gathered {
        &mut self.calls
    }
}

impl Reader {
    fn note_others(&mut self, document: &Document, out: &mut Output<'_>) {
        if !self.has_others {
            self.has_others = true;
            let message = "the answer has several choices; only the first was read";
            out.problem(ProblemKind::IgnoredText, document.range(), message);
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
        speak(message, document, out);
        let listed = message.get("tool_calls").and_then(Value::as_array);
        let single = message.get("function").map(|_| message);
        let older = message.get("function_call");
        let calls = listed.into_iter().flatten().chain(single).chain(older);
        for call in calls {
            let key = self.calls.whole_key();
            self.piece(call, key, document, out);
        }
        let reason = finish.and_then(Value::as_str).unwrap_or_default();
        self.calls.close_all(close(reason), out);
    }

    fn delta(&mut self, delta: &Value, document: &Document, out: &mut Output<'_>) {
        speak(delta, document, out);
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
        let id = call.get("id").and_then(Value::as_str);
        let piece = Piece { id, ..Piece::of(function, key, &arguments, document.range()) };
        self.calls.add(&piece, out);
    }
}

/// Passes on what a message says and thinks; servers spell the latter in two ways.
fn speak(message: &Value, document: &Document, out: &mut Output<'_>) {
    let thought =
        ["reasoning_content", "reasoning"].iter().find_map(|key| message.get(*key)?.as_str());
    out.reasoning_in(thought.unwrap_or_default(), document.range());
    out.text_in(&text_at(message, "content"), document.range());
}

fn close(reason: &str) -> Close {
    match reason {
        "length" | "content_filter" => Close::CutOff,
        _ => Close::Finished,
    }
}
