//! Reads both forms of calls behind `[TOOL_CALLS]`.

use super::{
    super::reading::{Bare, Body, BodyEnd, Ended, Found, ObjectCall, ObjectEnd, find, look_word},
    Mistral,
};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More, look_literal},
    format::Machine,
    output::Output,
    prose::{Bytes, Prose, Starts},
};

const MARKER: &str = "[TOOL_CALLS]";
const ID: &str = "[CALL_ID]";
const ARGUMENTS: &str = "[ARGS]";
const MARKERS: [&str; 3] = [MARKER, ID, ARGUMENTS];
/// The longest name, with its identifiers; what goes on for longer is text.
const LONGEST_NAME: usize = 512;
static STARTS: Bytes = Bytes::starts(b"[");

/// Looks for the marker; what follows tells the forms apart.
pub(super) fn claims(form: Mistral, text: &str, more: More) -> Look<()> {
    let behind = match look_literal(text, MARKER, more) {
        Look::Yes(len) => text.get(len..).unwrap_or_default(),
        Look::No => return Look::No,
        Look::Undecided => return Look::Undecided,
    };
    match look_word(behind, more, |word, more| look_literal(word, "[", more)) {
        Look::Undecided => Look::Undecided,
        found => {
            let is_list = matches!(found, Look::Yes(_));
            if is_list == (form == Mistral::List) { Look::Yes(()) } else { Look::No }
        }
    }
}

/// Reads both dialects of Mistral.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    place: Place,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    /// Behind the marker that begins at this place.
    Marked(usize),
    /// In a list, between objects; where its marker begins while it has none.
    List(Option<usize>),
    Object(Box<ObjectCall>),
    /// In the name of a compact call.
    Name(usize, String),
    Body(Box<Body>),
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Marked(start) => self.marked(start, cursor, out),
            Place::List(start) => self.list(start, cursor, out),
            Place::Object(object) => self.object(object, cursor, out),
            Place::Name(start, name) => self.name(start, name, cursor, out),
            Place::Body(body) => self.body(body, cursor, out),
        }
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

impl Reader {
    fn outside(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let look = |text: &str, more: More| look_literal(text, MARKER, more);
        let Some(len) = self.prose.read(cursor, out, Starts::AnyOf(&STARTS), look) else {
            return false;
        };
        self.place = Place::Marked(cursor.offset());
        cursor.take(len);
        true
    }

    fn marked(&mut self, start: usize, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        cursor.take_space();
        match cursor.rest().bytes().next() {
            None => {
                if cursor.is_last() {
                    let message = "no call follows the marker";
                    out.problem(ProblemKind::EmptyBlock, start..cursor.offset(), message);
                }
                self.place = Place::Marked(start);
                false
            }
            Some(b'[') => {
                cursor.take(1);
                self.place = Place::List(Some(start));
                true
            }
            Some(b'{') => {
                self.place = Place::Object(ObjectCall::new(cursor.offset(), Bare::IsCall));
                true
            }
            Some(_) => {
                self.place = Place::Name(start, String::new());
                true
            }
        }
    }

    fn list(
        &mut self,
        start: Option<usize>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let rest = cursor.rest();
        let word = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
        cursor.take(rest.len() - word.len());
        match word.bytes().next() {
            None if !cursor.is_last() => {
                self.place = Place::List(start);
                false
            }
            Some(b'{') => {
                self.place = Place::Object(ObjectCall::new(cursor.offset(), Bare::IsCall));
                true
            }
            Some(b']') => {
                cursor.take(1);
                true
            }
            _ => {
                let at = cursor.offset();
                match start {
                    Some(start) => {
                        let message = "no call follows the marker; its list is left out";
                        out.problem(ProblemKind::EmptyBlock, start..at, message);
                    }
                    None => {
                        let message = "the list of calls is not closed";
                        out.problem(ProblemKind::MissingEnd, at..at, message);
                    }
                }
                !cursor.is_empty()
            }
        }
    }

    fn object(
        &mut self,
        object: Box<ObjectCall>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let (ended, is_over) = match object.read(cursor, out, &[MARKER]) {
            ObjectEnd::Over(ended) => (ended, true),
            ObjectEnd::CutOff(ended) => (ended, false),
            ObjectEnd::More(object) => {
                self.place = Place::Object(object);
                return false;
            }
        };
        if let Ended::Text(text, start) = ended {
            self.prose.give_back(&text, start, out);
        }
        if is_over {
            self.place = Place::List(None);
        }
        is_over
    }

    /// Reads the name, and perhaps the identifier, up to the arguments.
    fn name(
        &mut self,
        start: usize,
        mut name: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let found = find(cursor.rest(), &MARKERS, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        let clear = cursor.rest().get(..before).unwrap_or_default();
        // The arguments may follow the name without a marker; a tag is part of no name.
        let stop = clear.find(['{', '<']);
        let len = stop.unwrap_or(before);
        let room = clear.floor_char_boundary(LONGEST_NAME.saturating_sub(name.len()));
        name.push_str(cursor.take(len.min(room)));
        if len > room {
            return self.no_name(start, &name, cursor, out);
        }
        let brace = stop.filter(|_| cursor.rest().starts_with('{'));
        let marker = match found {
            Found::Marker { which, .. } if stop.is_none() => MARKERS.get(which).copied(),
            _ => None,
        };
        let is_legal = || name.split(ID).all(is_word);
        match marker {
            Some(ID) => {
                name.push_str(cursor.take(ID.len()));
                self.place = Place::Name(start, name);
                return true;
            }
            None if stop.is_none() && !cursor.is_last() => {
                self.place = Place::Name(start, name);
                return false;
            }
            Some(ARGUMENTS) if is_legal() => {
                cursor.take(ARGUMENTS.len());
            }
            _ if brace.is_some() && is_legal() => {}
            _ => return self.no_name(start, &name, cursor, out),
        }
        let (name, id) = name.split_once(ID).map_or((&*name, None), |(name, id)| (name, Some(id)));
        let call = out.begin(name.trim(), id.map(str::trim), start);
        self.place = Place::Body(Box::new(Body::new(call, cursor.offset())));
        true
    }

    /// Gives back what stands in the place of a name and is none.
    fn no_name(
        &mut self,
        start: usize,
        name: &str,
        cursor: &Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let message = "a name without arguments follows the marker; it is text";
        out.problem(ProblemKind::MalformedInput, start..cursor.offset(), message);
        self.prose.give_back(name, cursor.offset() - name.len(), out);
        !cursor.is_empty()
    }

    fn body(&mut self, body: Box<Body>, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match body.read(cursor, out, &[MARKER]) {
            BodyEnd::Over => {}
            BodyEnd::CutOff => return false,
            BodyEnd::More(body) => {
                self.place = Place::Body(body);
                return false;
            }
        }
        true
    }
}

fn is_word(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}
