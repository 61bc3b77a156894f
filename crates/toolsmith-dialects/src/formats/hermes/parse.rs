//! Reads JSON objects between `<tool_call>` tags.

use super::super::reading::{Bare, Ended, ObjectCall, ObjectEnd, look_any, look_word};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More, look_literal},
    format::Machine,
    output::Output,
    prose::{Prose, Starts},
};

const OPENERS: [&str; 2] = ["<tool_call>", "<longcat_tool_call>"];
const CLOSERS: [&str; 2] = ["</tool_call>", "</longcat_tool_call>"];
/// What ends an object that its own brackets do not end.
const ENDERS: [&str; 4] =
    ["</tool_call>", "</longcat_tool_call>", "<tool_call>", "<longcat_tool_call>"];

/// Looks for an opening tag with a JSON object behind it.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look_opener(text, more).map(|_| ())
}

/// Looks for an opening tag and a `{`; returns the length up to the `{`.
fn look_opener(text: &str, more: More) -> Look<usize> {
    look_any(text, &OPENERS, more).and_then(|which| {
        let opener = OPENERS.get(which).map_or(0, |tag| tag.len());
        let behind = text.get(opener..).unwrap_or_default();
        let space = behind.len() - behind.trim_ascii_start().len();
        look_word(behind, more, |word, more| look_literal(word, "{", more)).map(|_| opener + space)
    })
}

/// Reads the Hermes dialect.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    place: Place,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    /// In an object; before it stands what is text again if the object is no call.
    Object(String, Box<ObjectCall>),
    /// Behind an object, and the white space that was read there.
    After(usize, String),
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Object(lead, object) => self.object(lead, object, cursor, out),
            Place::After(start, space) => self.after((start, space), cursor, out),
        }
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

impl Reader {
    fn outside(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let Some(len) = self.prose.read(cursor, out, Starts::Angle, look_opener) else {
            return false;
        };
        let lead = cursor.take(len).to_owned();
        self.begin(lead, cursor)
    }

    fn begin(&mut self, lead: String, cursor: &Cursor<'_>) -> bool {
        let object = ObjectCall::new(cursor.offset(), Bare::IsCall);
        self.place = Place::Object(lead, object);
        true
    }

    fn object(
        &mut self,
        lead: String,
        object: Box<ObjectCall>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let (ended, is_over) = match object.read(cursor, out, &ENDERS) {
            ObjectEnd::Over(ended) => (ended, true),
            ObjectEnd::CutOff(ended) => (ended, false),
            ObjectEnd::More(object) => {
                self.place = Place::Object(lead, object);
                return false;
            }
        };
        match ended {
            Ended::Text(text, start) => {
                let text_start = start - lead.len();
                self.prose.give_back(&(lead + &text), text_start, out);
            }
            Ended::Call if is_over => self.place = Place::After(cursor.offset(), String::new()),
            Ended::Call => {}
        }
        is_over
    }

    /// Reads the end tag, or the comma before another object of the same block.
    fn after(
        &mut self,
        (start, mut space): (usize, String),
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let rest = cursor.rest();
        let word = rest.trim_start_matches(|c: char| c == ',' || c.is_ascii_whitespace());
        space.push_str(cursor.take(rest.len() - word.len()));
        if word.is_empty() && !cursor.is_last() {
            self.place = Place::After(start, space);
            return false;
        }
        match look_any(word, &CLOSERS, cursor.more()) {
            Look::Undecided => {
                self.place = Place::After(start, space);
                false
            }
            Look::Yes(which) => {
                cursor.take(CLOSERS.get(which).map_or(0, |tag| tag.len()));
                true
            }
            Look::No if word.starts_with('{') => self.begin(space, cursor),
            Look::No => {
                let message = "the end tag of the call is missing; the call is all there";
                out.problem(ProblemKind::MissingEnd, start..start, message);
                self.prose.give_back(&space, start, out);
                !cursor.is_empty()
            }
        }
    }
}
