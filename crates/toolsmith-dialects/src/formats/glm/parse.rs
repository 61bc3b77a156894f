//! Reads keys and values written as tags.

use super::super::reading::{Found, Gap, Given, ValueEnd, ValueTags, Values, find, look_word};
use crate::{
    CallState, ProblemKind,
    cursor::{Cursor, Look, More, look_literal},
    format::Machine,
    output::{Begun, Output},
    prose::{Prose, Starts},
};

const CALL: &str = "<tool_call>";
const CALL_END: &str = "</tool_call>";
const KEY: &str = "<arg_key>";
const KEY_END: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";
const VALUE_END: &str = "</arg_value>";

static TAGS: ValueTags = ValueTags {
    closer: VALUE_END,
    after_closer: &[KEY, CALL_END, VALUE_END],
    ender: CALL_END,
    after_ender: &[CALL],
    opener: KEY,
    after_name: KEY_END,
};

/// Looks for the opening tag with a name behind it.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    match look(text, more) {
        Look::Yes(_) => Look::Yes(()),
        Look::No => Look::No,
        Look::Undecided => Look::Undecided,
    }
}

/// Returns the length up to the name.
fn look(text: &str, more: More) -> Look<usize> {
    match look_literal(text, CALL, more) {
        Look::Yes(_) => {}
        Look::No => return Look::No,
        Look::Undecided => return Look::Undecided,
    }
    let behind = text.get(CALL.len()..).unwrap_or_default();
    let is_name = |word: &str, _: More| match word.bytes().next() {
        Some(first) if is_word(first) => Look::Yes(()),
        _ => Look::No,
    };
    match look_word(behind, more, is_name) {
        Look::Yes(()) => Look::Yes(text.len() - behind.trim_ascii_start().len()),
        Look::No => Look::No,
        Look::Undecided => Look::Undecided,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':' | b'/')
}

/// Reads the dialect of GLM.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    place: Place,
    gap: Gap,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    /// In the name of a call that begins at this place; the text with its tag.
    Name(usize, String),
    /// Between keys and values.
    Between(Box<Call>),
    /// In a key.
    Key(Box<Call>, String),
    Value(Box<Call>, Given),
}

#[derive(Debug)]
struct Call {
    begun: Begun,
    values: Values,
    /// The key whose value is awaited.
    key: Option<String>,
}

impl Machine for Reader {
    fn advance(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        while self.step(cursor, out) {}
    }
}

impl Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Name(start, text) => self.name(start, text, cursor, out),
            Place::Between(call) => self.between(call, cursor, out),
            Place::Key(call, key) => self.key(call, key, cursor, out),
            Place::Value(call, given) => self.value(call, given, cursor, out),
        }
    }

    fn outside(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let Some(len) = self.prose.read(cursor, out, Starts::Angle, look) else { return false };
        let start = cursor.offset();
        self.place = Place::Name(start, cursor.take(len).to_owned());
        true
    }

    /// Reads the name; a text between the tags that cannot be a name is text.
    fn name(
        &mut self,
        start: usize,
        mut text: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let rest = cursor.rest();
        let stop = rest.find(['<', '\n', ' ']);
        text.push_str(cursor.take(stop.unwrap_or(rest.len())));
        let name = text.get(CALL.len()..).unwrap_or_default().trim();
        let is_name = name.bytes().all(is_word);
        match cursor.rest().bytes().next() {
            None if !cursor.is_last() && is_name => {
                self.place = Place::Name(start, text);
                false
            }
            Some(b'<' | b'\n') if is_name => {
                let begun = out.begin(name, None, start);
                let values = Values::new(&begun, out);
                self.place = Place::Between(Box::new(Call { begun, values, key: None }));
                true
            }
            next => {
                let message = "what follows the tag is not the name of a tool; it is text";
                out.problem(ProblemKind::NamelessCall, start..start + CALL.len(), message);
                out.text(&text, start);
                next.is_some()
            }
        }
    }

    fn between(
        &mut self,
        mut call: Box<Call>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let tags = [KEY, VALUE, CALL_END, CALL];
        let Some(which) = self.gap.skip(&tags, cursor, out) else {
            if cursor.is_last() {
                out.cut_off(call.begun, call.values.into_value(), cursor.offset());
            } else {
                self.place = Place::Between(call);
            }
            return false;
        };
        match tags.get(which).copied() {
            Some(KEY) => {
                cursor.take(KEY.len());
                self.place = Place::Key(call, String::new());
            }
            Some(VALUE) => {
                cursor.take(VALUE.len());
                let key = call.key.take().unwrap_or_default();
                let given = Given::new(key, cursor.offset());
                self.place = Place::Value(call, given);
            }
            Some(CALL_END) => {
                cursor.take(CALL_END.len());
                end(*call, cursor, out);
            }
            _ => {
                let at = cursor.offset();
                out.problem(ProblemKind::MissingEnd, at..at, "the end tag of the call is missing");
                end(*call, cursor, out);
            }
        }
        true
    }

    fn key(
        &mut self,
        mut call: Box<Call>,
        mut key: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let tags = [KEY_END, VALUE, CALL_END];
        let found = find(cursor.rest(), &tags, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        key.push_str(cursor.take(before));
        match found {
            Found::Marker { which, .. } => {
                if which == 0 {
                    cursor.take(KEY_END.len());
                } else {
                    let at = cursor.offset();
                    out.problem(ProblemKind::MissingEnd, at..at, "the end tag of a key is missing");
                }
                call.key = Some(key.trim().to_owned());
                self.place = Place::Between(call);
                true
            }
            Found::Nothing { .. } if cursor.is_last() => {
                out.cut_off(call.begun, call.values.into_value(), cursor.offset());
                false
            }
            Found::Nothing { .. } => {
                self.place = Place::Key(call, key);
                false
            }
        }
    }

    fn value(
        &mut self,
        mut call: Box<Call>,
        mut given: Given,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let ended = given.read(&TAGS, (&call.begun, &call.values), cursor, out);
        if ended == ValueEnd::OutOfText && !cursor.is_last() {
            self.place = Place::Value(call, given);
            return false;
        }
        if matches!(ended, ValueEnd::NextParameter | ValueEnd::CallEnd) {
            let at = given.start + given.raw.len();
            let message = format!("the end tag of `{}` is missing", given.name);
            out.problem(ProblemKind::MissingEnd, at..at, message);
        }
        let (name, raw, range) = given.finish(out);
        call.values.add(&name, raw, range, out);
        match ended {
            ValueEnd::OutOfText => {
                out.cut_off(call.begun, call.values.into_value(), cursor.offset());
                return false;
            }
            ValueEnd::CallEnd => end(*call, cursor, out),
            ValueEnd::Closed | ValueEnd::NextParameter => self.place = Place::Between(call),
        }
        true
    }
}

fn end(call: Call, cursor: &Cursor<'_>, out: &mut Output<'_>) {
    let Call { begun, values, .. } = call;
    out.end(begun, values.into_value(), CallState::Complete, cursor.offset());
}
