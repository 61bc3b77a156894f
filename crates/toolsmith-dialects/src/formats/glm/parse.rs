//! Reads keys and values written as tags.

use super::super::reading::{Found, Gap, Given, TaggedCall, ValueEnd, ValueTags, find, look_word};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More, look_literal},
    format::Machine,
    output::Output,
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
    value_opener: VALUE,
    trim: |_| {},
};

/// Looks for the opening tag with a name behind it.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look(text, more).map(|_| ())
}

/// Returns the length up to the name.
fn look(text: &str, more: More) -> Look<usize> {
    let is_name = |word: &str, _: More| match word.bytes().next() {
        Some(first) if is_word(first) => Look::Yes(()),
        _ => Look::No,
    };
    look_literal(text, CALL, more).and_then(|len| {
        let behind = text.get(len..).unwrap_or_default();
        let name = text.len() - behind.trim_ascii_start().len();
        look_word(behind, more, is_name).map(|()| name)
    })
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
    /// The key whose value is awaited.
    awaited: Option<String>,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    /// In the name of a call that begins at this place; the text with its tag.
    Name(usize, String),
    /// Between keys and values.
    Between(Box<TaggedCall>),
    /// In a key.
    Key(Box<TaggedCall>, String),
    Value(Box<TaggedCall>, Given),
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Name(start, text) => self.name(start, text, cursor, out),
            Place::Between(call) => self.between(call, cursor, out),
            Place::Key(call, key) => self.key(call, key, cursor, out),
            Place::Value(call, given) => self.value(call, given, cursor, out),
        }
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

impl Reader {
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
        let word = cursor.rest().bytes().take_while(|&byte| is_word(byte)).count();
        text.push_str(cursor.take(word));
        let name = text.get(CALL.len()..).unwrap_or_default().trim();
        match cursor.rest().bytes().next() {
            None if !cursor.is_last() => {
                self.place = Place::Name(start, text);
                false
            }
            Some(b'<' | b'\n' | b'\r') => {
                self.awaited = None;
                self.place = Place::Between(TaggedCall::begin(name, start, out));
                true
            }
            next => {
                let message = "what follows the tag is not the name of a tool; it is text";
                out.problem(ProblemKind::NamelessCall, start..start + CALL.len(), message);
                self.prose.give_back(&text, start, out);
                next.is_some()
            }
        }
    }

    fn between(
        &mut self,
        call: Box<TaggedCall>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let tags = [KEY, VALUE, CALL_END, CALL];
        let Some(which) = self.gap.skip(&tags, cursor, out) else {
            if cursor.is_last() {
                call.cut_off(cursor, out);
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
                let key = self.awaited.take().unwrap_or_default();
                let given = Given::new(key, cursor.offset());
                self.place = Place::Value(call, given);
            }
            Some(CALL_END) => {
                cursor.take(CALL_END.len());
                call.end(cursor, out);
            }
            _ => {
                let at = cursor.offset();
                out.problem(ProblemKind::MissingEnd, at..at, "the end tag of the call is missing");
                call.end(cursor, out);
            }
        }
        true
    }

    fn key(
        &mut self,
        call: Box<TaggedCall>,
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
                self.awaited = Some(key.trim().to_owned());
                self.place = Place::Between(call);
                true
            }
            Found::Nothing { .. } if cursor.is_last() => {
                call.cut_off(cursor, out);
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
        call: Box<TaggedCall>,
        given: Given,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        match call.read(given, &TAGS, cursor, out) {
            ValueEnd::Next(call) => self.place = Place::Between(call),
            ValueEnd::Over => {}
            ValueEnd::CutOff => return false,
            ValueEnd::More(call, given) => {
                self.place = Place::Value(call, given);
                return false;
            }
        }
        true
    }
}
