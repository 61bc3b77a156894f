//! Reads answers of Gemini, whole or of a stream.

use serde_json::Value;

use super::super::reading::{
    Answer, Close, Document, Gathered, Mark, Piece, arguments_at, text_at,
};
use crate::{ProblemKind, output::Output};

/// What tells an answer, or a part with a call.
pub(super) static MARKS: [Mark; 2] = [Mark::Is("candidates"), Mark::Is("functionCall")];

/// Reads the dialect of Gemini.
#[derive(Debug, Default)]
pub(super) struct Reader {
    calls: Gathered,
    /// Another candidate than the first was met.
    has_others: bool,
}

impl Answer for Reader {
    fn take(&mut self, document: &Document, out: &mut Output<'_>) {
        let value = &document.value;
        let candidates = value.get("candidates").and_then(Value::as_array);
        let first = candidates.and_then(|all| all.iter().find(|candidate| is_first(candidate)));
        if candidates.is_some_and(|all| all.len() > usize::from(first.is_some())) {
            self.note_others(document, out);
        }
        if candidates.is_some_and(|all| !all.is_empty()) && first.is_none() {
            return;
        }
        if let Some(reason) = first.and_then(|first| first.get("finishReason")?.as_str())
            && reason.contains("MALFORMED")
        {
            let message = "the server says that the model wrote a call it could not read";
            let range = document.range();
            out.problem(ProblemKind::MalformedInput, range, message);
        }
        let content = first.map_or(Some(value), |first| first.get("content"));
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
    fn note_others(&mut self, document: &Document, out: &mut Output<'_>) {
        if !self.has_others {
            self.has_others = true;
            let message = "the answer has several candidates; only the first was read";
            out.problem(ProblemKind::IgnoredText, document.range(), message);
        }
    }

    fn part(&mut self, part: &Value, document: &Document, out: &mut Output<'_>) {
        if part.get("thought") == Some(&Value::Bool(true)) {
            return out.reasoning_in(&text_at(part, "text"), document.range());
        }
        out.text_in(&text_at(part, "text"), document.range());
        let Some(call) = part.get("functionCall").or_else(|| part.get("function_call")) else {
            return;
        };
        let key = self.calls.whole_key();
        let arguments = arguments_at(call, "args");
        self.calls.add(&Piece::of(call, key, &arguments, document.range()), out);
        self.calls.close(key, Close::Finished, out);
    }
}

fn is_first(candidate: &Value) -> bool {
    candidate.get("index").and_then(Value::as_u64).unwrap_or_default() == 0
}
