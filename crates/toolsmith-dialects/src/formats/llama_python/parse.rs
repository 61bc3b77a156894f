//! Reads lists of function calls.

use std::ops::Range;

use serde_json::Value;

use super::{
    super::reading::{look_any, look_word},
    literal::{self, PythonCall, PythonScanner},
};
use crate::{
    CallState, ProblemKind,
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
    prose::{Bytes, Prose, Starts},
};

/// What may stand before a list of calls.
const OPENERS: [&str; 3] = ["<|python_start|>", "<|tool_call_start|>", "<function_calls>"];
/// What may stand behind a list of calls.
const CLOSERS: [&str; 3] = ["<|python_end|>", "<|tool_call_end|>", "</function_calls>"];
static STARTS: Bytes = Bytes::starts(b"[<");
/// The longest name of a tool that is looked at.
const LONGEST_NAME: usize = 128;

/// Looks for a list that begins with a call.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look(text, more).and_then(|mark| match mark {
        Mark::List(_) => Look::Yes(()),
        Mark::Closer(_) => Look::No,
    })
}

/// Something that is no prose, and its length.
#[derive(Clone, Copy, Debug)]
enum Mark {
    /// The start of a list, up to its first call.
    List(usize),
    /// A token behind a list.
    Closer(usize),
}

fn look(text: &str, more: More) -> Look<Mark> {
    let opener = match look_any(text, &OPENERS, more) {
        Look::Yes(which) => OPENERS.get(which).map_or(0, |token| token.len()),
        Look::Undecided => return Look::Undecided,
        Look::No => 0,
    };
    if opener == 0 && !text.starts_with('[') {
        let len = |which: usize| CLOSERS.get(which).map_or(0, |token| token.len());
        return look_any(text, &CLOSERS, more).map(|which| Mark::Closer(len(which)));
    }
    let behind = text.get(opener..).unwrap_or_default();
    let space = |text: &str| text.len() - text.trim_ascii_start().len();
    let mut at = opener + space(behind);
    if text.get(at..).is_some_and(|rest| rest.starts_with('[')) {
        at += 1;
        at += space(text.get(at..).unwrap_or_default());
    }
    match look_call(text.get(at..).unwrap_or_default(), more) {
        Look::Yes(()) => Look::Yes(Mark::List(at)),
        Look::No => Look::No,
        Look::Undecided if at > LONGEST_NAME => Look::No,
        Look::Undecided => Look::Undecided,
    }
}

/// Looks for `name(` and the start of an argument, which prose in brackets seldom has.
fn look_call(text: &str, more: More) -> Look<()> {
    let len = word_len(text);
    match text.as_bytes().get(len) {
        Some(b'(') if len > 0 => {
            look_word(text.get(len + 1..).unwrap_or_default(), more, look_argument)
        }
        None if len <= LONGEST_NAME && more == More::MayCome => Look::Undecided,
        _ => Look::No,
    }
}

/// Looks for the closing bracket, a literal, or a key.
fn look_argument(text: &str, more: More) -> Look<()> {
    let Some(&first) = text.as_bytes().first() else { return Look::No };
    if b")\"'[{(*+-.".contains(&first) || first.is_ascii_digit() {
        return Look::Yes(());
    }
    let len = word_len(text);
    if len == 0 || len > LONGEST_NAME {
        return Look::No;
    }
    let (word, behind) = text.split_at(len);
    let is_literal = ["True", "False", "None", "true", "false", "null"].contains(&word);
    look_word(behind, more, |next, _| match next.as_bytes().first() {
        Some(b'=') => Look::Yes(()),
        Some(b',' | b')') if is_literal => Look::Yes(()),
        _ => Look::No,
    })
}

/// Returns how long the word is that a text starts with; at most one more than the longest name.
fn word_len(text: &str) -> usize {
    let len = text.bytes().take(LONGEST_NAME + 1).take_while(|&byte| is_word(byte)).count();
    text.ceil_char_boundary(len)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-') || byte >= 0x80
}

/// Gives arguments without names those of the tool's parameters, in the order of its schema.
fn arguments(call: PythonCall<'_>, range: Range<usize>, out: &mut Output<'_>) -> Option<Value> {
    if call.positional.is_empty() {
        return Some(Value::Object(call.named));
    }
    let shape = out.tools.shape(call.name)?;
    let names: Vec<_> = shape.parameters().take(call.positional.len()).collect();
    if names.len() < call.positional.len()
        || names.iter().any(|name| call.named.contains_key(*name))
    {
        let message = "arguments without names do not fit the tool's parameters; write `key=value`";
        out.problem(ProblemKind::UnreadableArguments, range, message);
        return None;
    }
    let message = "arguments without names were named in the order of the tool's parameters";
    out.problem(ProblemKind::Repaired, range, message);
    let names = names.into_iter().map(str::to_owned);
    Some(Value::Object(names.zip(call.positional).chain(call.named).collect()))
}

/// Reads the Python-style dialect.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    place: Place,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    /// In a call: what stands before it in the list, where that begins, and the call so far.
    Call(String, usize, String, PythonScanner),
    /// Behind a call: where this begins, and the separators read so far.
    After(usize, String),
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Call(lead, start, call, scanner) => {
                self.call((lead, start, call, scanner), cursor, out)
            }
            Place::After(start, separators) => self.after(start, separators, cursor, out),
        }
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

impl Reader {
    fn outside(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match self.prose.read(cursor, out, Starts::AnyOf(&STARTS), look) {
            None => false,
            Some(Mark::Closer(len)) => {
                cursor.take(len);
                true
            }
            Some(Mark::List(len)) => {
                let start = cursor.offset();
                let lead = cursor.take(len).to_owned();
                self.place = Place::Call(lead, start, String::new(), PythonScanner::default());
                true
            }
        }
    }

    /// Reads a call to its closing bracket; only then is it known to be one.
    fn call(
        &mut self,
        (lead, start, mut call, mut scanner): (String, usize, String, PythonScanner),
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let rest = cursor.rest();
        let over = scanner.feed(rest);
        call.push_str(cursor.take(over.unwrap_or(rest.len())));
        if over.is_none() && !cursor.is_last() {
            self.place = Place::Call(lead, start, call, scanner);
            return false;
        }
        let (call_start, end) = (start + lead.len(), cursor.offset());
        let parsed = over.and_then(|_| literal::parse_call(&call));
        // A list among words may be a link or a formula, unless a token stands before it.
        let may_be_prose = lead.starts_with('[') && self.prose.has_words();
        let parsed = parsed.filter(|call| {
            (call.positional.is_empty() && !may_be_prose) || out.tools.has(call.name)
        });
        let Some(parsed) = parsed else {
            let kind = if over.is_some() {
                ProblemKind::MalformedInput
            } else {
                ProblemKind::UnfinishedCall
            };
            let message = "this looks like the start of a call and is none; it is text";
            out.problem(kind, call_start..end, message);
            self.prose.give_back(&(lead + &call), start, out);
            return over.is_some();
        };
        let begun = out.begin(parsed.name, None, call_start);
        let written = call.get(parsed.name.len()..).unwrap_or_default();
        out.arguments(&begun, None, written);
        let (arguments, state) = match arguments(parsed, call_start..end, out) {
            Some(arguments) => (arguments, CallState::Complete),
            None => (Value::String(written.to_owned()), CallState::Unreadable),
        };
        out.end(begun, arguments, state, end);
        self.place = Place::After(end, String::new());
        true
    }

    /// Reads the separator before the next call, or the end of the list.
    fn after(
        &mut self,
        start: usize,
        mut separators: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let rest = cursor.rest();
        let word = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
        separators.push_str(cursor.take(rest.len() - word.len()));
        if word.starts_with(']') {
            cursor.take(1);
            return true;
        }
        let closed = look_any(word, &CLOSERS, cursor.more());
        if let Look::Yes(which) = closed {
            cursor.take(CLOSERS.get(which).map_or(0, |token| token.len()));
            return true;
        }
        // Without a separator this would be a text that goes on.
        let next = if separators.is_empty() && !word.is_empty() {
            Look::No
        } else {
            look_call(word, cursor.more())
        };
        match next {
            Look::Yes(()) => {
                let start = cursor.offset();
                let scanner = PythonScanner::default();
                self.place = Place::Call(String::new(), start, String::new(), scanner);
                true
            }
            Look::Undecided => {
                self.place = Place::After(start, separators);
                false
            }
            Look::No if closed == Look::Undecided => {
                self.place = Place::After(start, separators);
                false
            }
            Look::No => {
                let message = "the list of calls is not closed";
                out.problem(ProblemKind::MissingEnd, start..start, message);
                self.prose.give_back(&separators, start, out);
                !cursor.is_empty()
            }
        }
    }
}
