//! Reads answers of Gemini, whole or of a stream.

use serde_json::Value;

use super::super::reading::{Answer, Close, Document, Gathered, Mark, Piece, text_at};
use crate::{ProblemKind, output::Output};

/// What tells an answer, or a part with a call.
pub(super) static MARKS: [Mark; 2] = [Mark::Is("candidates"), Mark::Is("functionCall")];

/// Reads the dialect of Gemini.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Gathered,
}

impl Answer for Reader {
    fn take(&mut self, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let candidate = value.pointer("/candidates/0");
        if let Some(reason) = candidate.and_then(|first| first.get("finishReason")?.as_str())
            && reason.contains("MALFORMED")
        {
            let message = "the server says that the model wrote a call it could not read";
            let range = document.range();
            out.problem(ProblemKind::MalformedInput, range, message);
        }
        let content = candidate.map_or(Some(value), |first| first.get("content"));
        match content.and_then(|content| content.get("parts")?.as_array()) {
            Some(parts) => parts.iter().for_each(|part| self.part(part, document, out)),
            None => self.part(value, document, out),
        }
    }

    fn calls(&mut self) -> &mut Gathered {
        &mut self.calls
    }
}

impl Reader {
    fn part(&mut self, part: &Value, document: &Document, out: &mut Output<'_>) {
        if part.get("thought") == Some(&Value::Bool(true)) {
            return out.reasoning_in(&text_at(part, "text"), document.range());
        }
        out.text_in(&text_at(part, "text"), document.range());
        let Some(call) = part.get("functionCall").or_else(|| part.get("function_call")) else {
            return;
        };
        let key = self.calls.whole_key();
        let arguments = call.get("args").map(Value::to_string).unwrap_or_default();
        self.calls.add(&Piece::of(call, key, &arguments, document.range()), out);
        self.calls.close(key, Close::Finished, out);
    }
}
