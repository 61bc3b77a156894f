//! Any text as near-JSON: repaired into JSON or refused, and JSON itself left alone.

use serde_json::Value;
use toolsmith_dialects::{JsonScanner, Repaired, Repairs, Wanted, repair, type_text};

use super::bytes::Bytes;

/// Checks one text; the first bytes choose how it is cut and how often it is repeated.
pub(crate) fn check(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    let (size, times, wanted) = (bytes.byte(), bytes.byte(), bytes.byte());
    let text = bytes.rest_repeated(times);
    json_is_left_alone(&text);
    what_is_repaired_is_json(&text);
    the_end_is_where_it_is_in_any_pieces(&text, usize::from(size % 16) + 1);
    what_is_typed_is_as_wanted(&text, wanted);
}

fn json_is_left_alone(text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    assert_eq!(repair(text), Some(Repaired { value, fixes: Vec::new() }), "{text:?}");
}

fn what_is_repaired_is_json(text: &str) {
    let Some(repaired) = repair(text) else { return };
    let is_json = serde_json::from_str::<Value>(text).is_ok();
    assert_eq!(repaired.fixes.is_empty(), is_json, "{:?} of {text:?}", repaired.fixes);
    let written = repaired.value.to_string();
    let read: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(read, repaired.value, "{text:?}");
    // A byte is written as six at most, and what is added is brackets and quotes.
    assert!(written.len() <= 8 * text.len(), "{written} of {text:?}");
}

fn the_end_is_where_it_is_in_any_pieces(text: &str, size: usize) {
    let end = JsonScanner::default().feed(text);
    let mut scanner = JsonScanner::default();
    let (mut read, mut found) = (0, None);
    while found.is_none() && read < text.len() {
        let piece = &text[read..text.ceil_char_boundary(read + size)];
        found = scanner.feed(piece).map(|len| read + len);
        read += piece.len();
    }
    assert_eq!(found, end, "in pieces of {size}: {text:?}");
    assert!(end.is_none_or(|end| text.is_char_boundary(end)), "{end:?} of {text:?}");
}

fn what_is_typed_is_as_wanted(text: &str, choice: u8) {
    const TYPES: [Wanted; 7] = [
        Wanted::NULL,
        Wanted::BOOLEAN,
        Wanted::INTEGER,
        Wanted::NUMBER,
        Wanted::STRING,
        Wanted::ARRAY,
        Wanted::OBJECT,
    ];
    let chosen = TYPES.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1);
    let wanted = chosen.map(|(_, wanted)| *wanted).reduce(|all, one| all | one);
    let wanted = wanted.unwrap_or(Wanted::ANY);
    let repairs = if choice & 128 == 0 { Repairs::Try } else { Repairs::Refuse };
    let (value, _) = type_text(text.to_owned(), wanted, repairs);
    let fits = match &value {
        Value::Null => wanted.has(Wanted::NULL),
        Value::Bool(_) => wanted.has(Wanted::BOOLEAN),
        Value::Number(number) if number.is_f64() => wanted.has(Wanted::NUMBER),
        Value::Number(_) => wanted.has(Wanted::INTEGER | Wanted::NUMBER),
        // What does not fit stays the raw string; only where anything fits are quotes taken off.
        Value::String(string) => string == text || wanted == Wanted::ANY,
        Value::Array(_) => wanted.has(Wanted::ARRAY),
        Value::Object(_) => wanted.has(Wanted::OBJECT),
    };
    assert!(fits, "{value} of {text:?} for {wanted:?}");
}
