//! Reads answers and chunks of chat completions.

use serde_json::Value;

use super::super::reading::{
    Answer, Close, Document, Gathered, Mark, Piece, arguments_at, text_at,
};
use crate::{ProblemKind, output::Output};

/// What tells an answer, a chunk, or a message with calls.
pub(super) static MARKS: [Mark; 3] =
    [Mark::Begins("chat.completion"), Mark::Is("tool_calls"), Mark::Is("choices")];

/// The key of a call in the older form; indices and the keys of whole calls are others.
const OLDER: u64 = u64::MAX;

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
        let close = finish.and_then(Value::as_str).map_or(Close::Stopped, close);
        let listed = message.get("tool_calls").and_then(Value::as_array);
        let single = message.get("function").or_else(|| message.get("custom")).map(|_| message);
        let calls = listed.into_iter().flatten().chain(single).chain(older_call(message));
        for call in calls {
            let key = self.calls.whole_key();
            self.piece(call, key, document, out);
            self.calls.close(key, close, out);
        }
        self.calls.close_all(close, out);
    }

    fn delta(&mut self, delta: &Value, document: &Document, out: &mut Output<'_>) {
        speak(delta, document, out);
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for (place, call) in calls.into_iter().flatten().enumerate() {
            let key = match call.get("index").and_then(Value::as_u64) {
                Some(index) => index,
                // More of a call is more of the last one.
                None if name_of(call).is_none() => self.calls.last_key().unwrap_or_default(),
                None => place as u64,
            };
            self.piece(call, key, document, out);
        }
        if let Some(call) = older_call(delta) {
            self.piece(call, OLDER, document, out);
        }
    }

    fn piece(&mut self, call: &Value, key: u64, document: &Document, out: &mut Output<'_>) {
        let function = function_of(call);
        // Some servers send the arguments as an object; those of custom tools are any text.
        let key_of_arguments = if function.get("input").is_some() { "input" } else { "arguments" };
        let arguments = match function.get(key_of_arguments) {
            Some(Value::String(text)) => text.clone(),
            _ => arguments_at(function, key_of_arguments),
        };
        let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
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

/// Returns the call of a message or a delta in the older form, of which there is one at most.
fn older_call(message: &Value) -> Option<&Value> {
    message.get("function_call").filter(|call| call.is_object())
}

/// Returns the part of a call that has its name and its arguments.
fn function_of(call: &Value) -> &Value {
    call.get("function").or_else(|| call.get("custom")).unwrap_or(call)
}

fn name_of(call: &Value) -> Option<&str> {
    function_of(call).get("name")?.as_str().filter(|name| !name.is_empty())
}

/// Tells by the server's word how the answer ended; only the known words say that it is whole.
fn close(reason: &str) -> Close {
    match reason {
        "stop" | "tool_calls" | "function_call" => Close::Finished,
        _ => Close::CutOff,
    }
}
