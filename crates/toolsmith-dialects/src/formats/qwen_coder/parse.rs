//! Reads functions and parameters written as tags.

use super::super::reading::{Gap, Given, TaggedCall, ValueEnd, ValueTags, look_any, look_word};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More, look_literal},
    format::Machine,
    output::Output,
    prose::{Prose, Starts},
};

const WRAPPER: &str = "<tool_call>";
const WRAPPER_END: &str = "</tool_call>";
const FUNCTION: &str = "<function=";
const FUNCTION_END: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_END: &str = "</parameter>";
/// The longest name that is looked at before it is known to be one.
const LONGEST_NAME: usize = 128;

static TAGS: ValueTags = ValueTags {
    closer: PARAMETER_END,
    after_closer: &[PARAMETER, FUNCTION_END, WRAPPER_END, PARAMETER_END],
    ender: FUNCTION_END,
    after_ender: &[WRAPPER_END, WRAPPER, FUNCTION],
    opener: PARAMETER,
    after_name: ">",
    value_opener: "",
    trim: drop_breaks,
};

/// Looks for a function, in its wrapper or bare.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look(text, more).map(|_| ())
}

/// Returns the length up to the name of the function.
fn look(text: &str, more: More) -> Look<usize> {
    let wrapper = match look_any(text, &[WRAPPER, FUNCTION, PARAMETER], more) {
        Look::Yes(1) => return Look::Yes(FUNCTION.len()),
        Look::Yes(2) => return look_misnamed(text, more),
        Look::Yes(_) => WRAPPER.len(),
        Look::No => return Look::No,
        Look::Undecided => return Look::Undecided,
    };
    let behind = text.get(wrapper..).unwrap_or_default();
    let tag = text.len() - behind.trim_ascii_start().len();
    look_word(behind, more, |word, more| look_literal(word, FUNCTION, more)).map(|len| tag + len)
}

/// Looks for a function that was opened as a parameter: another parameter follows at once.
fn look_misnamed(text: &str, more: More) -> Look<usize> {
    let name = text.get(PARAMETER.len()..).unwrap_or_default();
    let len = name.bytes().take(LONGEST_NAME).take_while(|byte| !b"<>\n".contains(byte)).count();
    match name.as_bytes().get(len) {
        Some(b'>') => {}
        None if more == More::MayCome => return Look::Undecided,
        _ => return Look::No,
    }
    let behind = name.get(len + 1..).unwrap_or_default();
    look_word(behind, more, |word, more| look_literal(word, PARAMETER, more))
}

/// Reads the dialect of Qwen3-Coder.
#[derive(Debug, Default)]
pub(super) struct Reader {
    prose: Prose,
    place: Place,
    wrapper: Wrapper,
    gap: Gap,
}

/// Whether the call stands in `<tool_call>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Wrapper {
    #[default]
    Missing,
    Open,
}

#[derive(Debug, Default)]
enum Place {
    #[default]
    Outside,
    /// In the name of a function that begins at this place.
    Function(usize, String),
    /// Between the parameters.
    Between(Box<TaggedCall>),
    /// In the name of a parameter that begins at this place.
    Parameter(Box<TaggedCall>, usize, String),
    Value(Box<TaggedCall>, Given),
    /// Behind a function: where this begins, and the white space read so far.
    After(usize, String),
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Outside => self.outside(cursor, out),
            Place::Function(start, name) => self.function(start, name, cursor, out),
            Place::Between(call) => self.between(call, cursor, out),
            Place::Parameter(call, start, name) => self.parameter(call, (start, name), cursor, out),
            Place::Value(call, given) => self.value(call, given, cursor, out),
            Place::After(start, space) => self.after(start, space, cursor, out),
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
        let opener = cursor.take(len);
        let is_wrapped = opener.starts_with(WRAPPER);
        self.wrapper = if is_wrapped { Wrapper::Open } else { Wrapper::Missing };
        if opener == PARAMETER {
            let message = "the function is named by a parameter's tag";
            out.problem(ProblemKind::MissingStart, start..start + len, message);
        }
        self.place = Place::Function(start, String::new());
        true
    }

    /// Reads the name of a function; without its `>` it ends at the line break or the next tag.
    fn function(
        &mut self,
        start: usize,
        mut name: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        match take_name(&mut name, cursor) {
            None if cursor.is_last() => {
                let message = "the text ends in the name of a function";
                out.problem(ProblemKind::UnfinishedCall, start..cursor.offset(), message);
                false
            }
            None => {
                self.place = Place::Function(start, name);
                false
            }
            Some(end) => {
                if end == b'>' {
                    cursor.take(1);
                } else {
                    let at = cursor.offset();
                    out.problem(
                        ProblemKind::MissingEnd,
                        at..at,
                        "the tag of a function has no `>`",
                    );
                }
                self.place = Place::Between(TaggedCall::begin(trimmed(&name), start, out));
                true
            }
        }
    }

    fn between(
        &mut self,
        call: Box<TaggedCall>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let tags = [PARAMETER, FUNCTION_END, WRAPPER_END, WRAPPER, FUNCTION];
        let Some(which) = self.gap.skip(&tags, cursor, out) else {
            if cursor.is_last() {
                call.cut_off(cursor, out);
            } else {
                self.place = Place::Between(call);
            }
            return false;
        };
        let start = cursor.offset();
        match tags.get(which).copied() {
            Some(PARAMETER) => {
                cursor.take(PARAMETER.len());
                self.place = Place::Parameter(call, start, String::new());
            }
            Some(FUNCTION_END) => {
                cursor.take(FUNCTION_END.len());
                self.end(*call, cursor, out);
            }
            _ => {
                let message = "the end tag of the function is missing";
                out.problem(ProblemKind::MissingEnd, start..start, message);
                self.end(*call, cursor, out);
            }
        }
        true
    }

    fn parameter(
        &mut self,
        call: Box<TaggedCall>,
        (start, mut name): (usize, String),
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        match take_name(&mut name, cursor) {
            None if cursor.is_last() => {
                call.cut_off(cursor, out);
                false
            }
            None => {
                self.place = Place::Parameter(call, start, name);
                false
            }
            Some(b'>') => {
                cursor.take(1);
                let given = Given::new(trimmed(&name).to_owned(), cursor.offset());
                self.place = Place::Value(call, given);
                true
            }
            Some(_) => {
                let message = "the tag of a parameter has no `>`; the parameter was left out";
                out.problem(ProblemKind::IgnoredText, start..cursor.offset(), message);
                self.place = Place::Between(call);
                true
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
            ValueEnd::Over => self.place = Place::After(cursor.offset(), String::new()),
            ValueEnd::CutOff => return false,
            ValueEnd::More(call, given) => {
                self.place = Place::Value(call, given);
                return false;
            }
        }
        true
    }

    fn end(&mut self, call: TaggedCall, cursor: &Cursor<'_>, out: &mut Output<'_>) {
        call.end(cursor, out);
        self.place = Place::After(cursor.offset(), String::new());
    }

    /// Reads the end of the wrapper, or the next function in it.
    fn after(
        &mut self,
        start: usize,
        mut space: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        space.push_str(cursor.take_space());
        let at_end = cursor.is_empty();
        match look_any(cursor.rest(), &[WRAPPER_END, FUNCTION], cursor.more()) {
            Look::Undecided => {
                self.place = Place::After(start, space);
                return false;
            }
            Look::Yes(0) => {
                let range = cursor.range(WRAPPER_END.len());
                cursor.take(WRAPPER_END.len());
                if self.wrapper == Wrapper::Missing {
                    let message = "the start of the block is missing";
                    out.problem(ProblemKind::MissingStart, range, message);
                }
                return true;
            }
            Look::Yes(_) => {
                self.place = Place::Function(cursor.offset(), String::new());
                cursor.take(FUNCTION.len());
                return true;
            }
            Look::No => {}
        }
        if self.wrapper == Wrapper::Open {
            out.problem(ProblemKind::MissingEnd, start..start, "the end of the block is missing");
        }
        self.prose.give_back(&space, start, out);
        !at_end
    }
}

/// Takes the name in a tag; returns the byte that ended it, which is not taken.
fn take_name(name: &mut String, cursor: &mut Cursor<'_>) -> Option<u8> {
    let rest = cursor.rest();
    let stop = rest.find(['>', '\n', '<']);
    name.push_str(cursor.take(stop.unwrap_or(rest.len())));
    stop.and_then(|_| cursor.rest().bytes().next())
}

/// Drops what models put around names by habit.
fn trimmed(name: &str) -> &str {
    name.trim().trim_matches(['"', '\''])
}

/// Drops the line breaks that belong to the tags.
fn drop_breaks(value: &mut String) {
    if value.starts_with('\n') {
        value.remove(0);
    }
    if value.ends_with('\n') {
        value.pop();
    }
}
