//! Reads JSON objects that are calls.

use super::super::reading::{Bare, Ended, ObjectCall, ObjectEnd, look_word};
use crate::{
    cursor::{Cursor, Look, More, look_literal},
    format::Machine,
    output::Output,
    prose::{Bytes, Prose, Starts},
};

const TAG: &str = "<|python_tag|>";
static STARTS: Bytes = Bytes::starts(b"<{");

/// Looks for the tag, or for an object that begins with a name.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look(text, more).map(|_| ())
}

/// Returns the length of what stands before the object.
fn look(text: &str, more: More) -> Look<usize> {
    if text.starts_with('{') {
        return look_object(text, more).map(|()| 0);
    }
    look_literal(text, TAG, more).and_then(|tag| {
        let behind = text.get(tag..).unwrap_or_default();
        let space = behind.len() - behind.trim_ascii_start().len();
        look_word(behind, more, |word, more| look_literal(word, "{", more)).map(|_| tag + space)
    })
}

/// Looks for `{"name": "` with white space anywhere.
fn look_object(text: &str, more: More) -> Look<()> {
    let mut ahead = text;
    for literal in ["{", "\"name\"", ":", "\""] {
        match look_word(ahead, more, |word, more| look_literal(word, literal, more)) {
            Look::Yes(len) => ahead = ahead.trim_ascii_start().get(len..).unwrap_or_default(),
            Look::No => return Look::No,
            Look::Undecided => return Look::Undecided,
        }
    }
    Look::Yes(())
}

/// Reads the JSON dialect of Llama 3.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    place: Place,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    Object(Box<ObjectCall>, Bare),
    /// Behind a call: where this begins, and the separators read so far.
    After(usize, String, Bare),
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Object(object, bare) => self.object(object, bare, cursor, out),
            Place::After(start, separators, bare) => {
                self.after((start, separators, bare), cursor, out)
            }
        }
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

impl Reader {
    fn outside(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let Some(len) = self.prose.read(cursor, out, Starts::AnyOf(&STARTS), look) else {
            return false;
        };
        cursor.take(len);
        let bare = if len > 0 { Bare::IsCall } else { Bare::IsText };
        self.place = Place::Object(ObjectCall::new(cursor.offset(), bare), bare);
        true
    }

    fn object(
        &mut self,
        object: Box<ObjectCall>,
        bare: Bare,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let ended = match object.read(cursor, out, &[TAG]) {
            ObjectEnd::Over(ended) => ended,
            ObjectEnd::CutOff(ended) => {
                if let Ended::Text(text, start) = ended {
                    out.text(&text, start);
                }
                return false;
            }
            ObjectEnd::More(object) => {
                self.place = Place::Object(object, bare);
                return false;
            }
        };
        match ended {
            Ended::Call => self.place = Place::After(cursor.offset(), String::new(), bare),
            Ended::Text(text, start) => {
                self.prose.give_back(&text, start, out);
            }
        }
        true
    }

    /// Drops the separator between two calls; in front of anything else it is text.
    fn after(
        &mut self,
        (start, mut separators, bare): (usize, String, Bare),
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let rest = cursor.rest();
        let word = rest.trim_start_matches(|c: char| c == ';' || c.is_ascii_whitespace());
        separators.push_str(cursor.take(rest.len() - word.len()));
        let found = if word.is_empty() && !cursor.is_last() {
            Look::Undecided
        } else {
            look(word, cursor.more())
        };
        match found {
            Look::Undecided => {
                self.place = Place::After(start, separators, bare);
                false
            }
            // One tag holds for all objects behind it.
            Look::Yes(len) => {
                cursor.take(len);
                let bare = if len > 0 { Bare::IsCall } else { bare };
                let object = ObjectCall::new(cursor.offset(), bare);
                self.place = Place::Object(object, bare);
                true
            }
            Look::No => {
                self.prose.give_back(&separators, start, out);
                !cursor.is_empty()
            }
        }
    }
}
