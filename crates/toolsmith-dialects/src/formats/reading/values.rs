//! Parameters that are written one by one between tags, and typed by the schema.

use std::{ops::Range, sync::Arc};

use serde_json::{Map, Value};

use super::{Found, find, look_any, look_word};
use crate::{
    CallState, Fix, ProblemKind, Shape, TypingNote,
    cursor::{Cursor, Look, More, look_literal},
    output::{Begun, Output},
    type_text,
};

/// A call whose parameters are written one by one between tags.
#[derive(Debug)]
pub(crate) struct TaggedCall {
    begun: Begun,
    values: Values,
}

/// What became of a call by reading on in a value.
#[derive(Debug)]
pub(crate) enum ValueEnd {
    /// There is no more text for now.
    More(Box<TaggedCall>, Given),
    /// The value is over, and the call goes on.
    Next(Box<TaggedCall>),
    /// The call is over.
    Over,
    /// The text ended first.
    CutOff,
}

impl TaggedCall {
    /// Begins a call at a place in the whole input.
    pub(crate) fn begin(name: &str, start: usize, out: &mut Output<'_>) -> Box<Self> {
        let begun = out.begin(name, None, start);
        let values = Values::new(&begun, out);
        Box::new(Self { begun, values })
    }

    /// Reads on in a value, and takes it in where it ends.
    pub(crate) fn read(
        mut self: Box<Self>,
        mut given: Given,
        tags: &ValueTags,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> ValueEnd {
        let end = given.read(tags, &self, cursor, out);
        if end == GivenEnd::OutOfText && !cursor.is_last() {
            return ValueEnd::More(self, given);
        }
        let is_closed = end == GivenEnd::CallEnd && given.drop_closer(tags);
        if matches!(end, GivenEnd::NextParameter | GivenEnd::CallEnd) && !is_closed {
            let at = given.start + given.raw.len();
            let message = format!("the end tag of `{}` is missing", given.name);
            out.problem(ProblemKind::MissingEnd, at..at, message);
        }
        let (name, mut raw, range) = given.finish(out);
        (tags.trim)(&mut raw);
        self.values.add(&name, raw, range, out);
        match end {
            GivenEnd::Closed | GivenEnd::NextParameter => return ValueEnd::Next(self),
            GivenEnd::OutOfText => self.cut_off(cursor, out),
            GivenEnd::CallEnd => {
                self.end(cursor, out);
                return ValueEnd::Over;
            }
        }
        ValueEnd::CutOff
    }

    /// Ends the call here.
    pub(crate) fn end(self, cursor: &Cursor<'_>, out: &mut Output<'_>) {
        let arguments = Value::Object(self.values.fields);
        out.end(self.begun, arguments, CallState::Complete, cursor.offset());
    }

    /// Ends the call where the text ends before it does.
    pub(crate) fn cut_off(self, cursor: &Cursor<'_>, out: &mut Output<'_>) {
        out.cut_off(self.begun, Value::Object(self.values.fields), cursor.offset());
    }
}

/// The parameters of a call so far.
#[derive(Debug)]
struct Values {
    shape: Option<Arc<Shape>>,
    fields: Map<String, Value>,
}

impl Values {
    /// Begins the parameters of a call.
    fn new(call: &Begun, out: &Output<'_>) -> Self {
        Self { shape: out.tools.shape(&call.name), fields: Map::new() }
    }

    /// Adds a parameter with the type that the tool wants; the raw string where that is unknown.
    fn add(&mut self, name: &str, raw: String, range: Range<usize>, out: &mut Output<'_>) {
        let wanted = self.shape.as_ref().and_then(|shape| shape.wanted(name));
        let (value, note) = match wanted {
            Some(wanted) => type_text(raw, wanted, out.settings.repairs),
            None => (Value::String(raw), None),
        };
        match note {
            Some(TypingNote::Repaired(fixes)) => {
                for fix in fixes {
                    out.problem(ProblemKind::Repaired, range.clone(), Fix::as_str(fix));
                }
            }
            Some(TypingNote::DoesNotFit) => {
                let message = format!("`{name}` has not the type that the tool wants");
                out.problem(ProblemKind::UntypedValue, range.clone(), message);
            }
            None => {}
        }
        if self.fields.insert(name.to_owned(), value).is_some() {
            let message = format!("`{name}` was given twice; the last one holds");
            out.problem(ProblemKind::RepeatedParameter, range, message);
        }
    }

    /// Tells whether a tag in a value can open another parameter: one of the tool's, not yet given.
    ///
    /// Nothing is known about the parameters of an unknown tool: there a tag must begin a line.
    fn awaits(&self, name: &str, given: &Given) -> bool {
        let fits = match &self.shape {
            Some(shape) => shape.names(name),
            None => given.raw.ends_with('\n') && name.bytes().all(is_word),
        };
        fits && name != given.name && !self.fields.contains_key(name)
    }
}

/// The tags around values in a dialect.
#[derive(Debug)]
pub(crate) struct ValueTags {
    /// Closes a value.
    pub(crate) closer: &'static str,
    /// What may follow the closer; with anything else behind it, it is part of the value.
    pub(crate) after_closer: &'static [&'static str],
    /// Closes the call, and so a value that was not closed.
    pub(crate) ender: &'static str,
    /// What may follow the ender of a value that was not closed.
    pub(crate) after_ender: &'static [&'static str],
    /// Opens a parameter, up to its name.
    pub(crate) opener: &'static str,
    /// What stands behind the name.
    pub(crate) after_name: &'static str,
    /// What must follow that, perhaps behind white space; empty where the value does so at once.
    pub(crate) value_opener: &'static str,
    /// Takes away from a value what belongs to its tags.
    pub(crate) trim: fn(&mut String),
}

/// The longest name of a parameter that a tag inside a value is looked at for.
const LONGEST_NAME: usize = 128;

/// A value as it arrives.
#[derive(Debug)]
pub(crate) struct Given {
    /// The parameter.
    name: String,
    /// The text of the value so far.
    raw: String,
    /// Where it begins in the whole input.
    start: usize,
    /// A tag, and the white space behind it, that may or may not end the value.
    held: String,
    is_ender: bool,
    /// How many parameters the value itself opens and does not close.
    open: usize,
    /// The value holds tags of the dialect.
    has_markup: bool,
}

/// What ended a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GivenEnd {
    /// Its own end tag.
    Closed,
    /// The next parameter, whose tag is still to be read.
    NextParameter,
    /// The end tag of the call, which has been read.
    CallEnd,
    /// There is no more text for now, or at all.
    OutOfText,
}

impl Given {
    /// Begins a value at a place in the whole input.
    pub(crate) fn new(name: String, start: usize) -> Self {
        let (raw, held) = (String::new(), String::new());
        Self { name, raw, start, held, is_ender: false, open: 0, has_markup: false }
    }

    /// Notes tags of the dialect inside the value, and returns the name, the text and its range.
    fn finish(self, out: &mut Output<'_>) -> (String, String, Range<usize>) {
        let range = self.start..self.start + self.raw.len();
        if self.has_markup {
            let message = "the value holds tags of the dialect; its end was found by what follows";
            out.problem(ProblemKind::MarkupInValue, range.clone(), message);
        }
        (self.name, self.raw, range)
    }

    /// Drops an end tag behind the value that was kept for a tag which the value only mentions.
    fn drop_closer(&mut self, tags: &ValueTags) -> bool {
        let len = self.raw.trim_ascii_end().strip_suffix(tags.closer).map(str::len);
        if let Some(len) = len {
            self.raw.truncate(len);
        }
        len.is_some()
    }

    /// Reads on until the value ends, and streams what it reads.
    fn read(
        &mut self,
        tags: &ValueTags,
        call: &TaggedCall,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> GivenEnd {
        let before = self.raw.len();
        let end = loop {
            let step = if self.held.is_empty() {
                self.search(tags, &call.values, cursor)
            } else {
                self.settle(tags, cursor)
            };
            if let Some(end) = step {
                break end;
            }
        };
        out.arguments(&call.begun, Some(&self.name), self.raw.get(before..).unwrap_or_default());
        end
    }

    /// Takes text up to the next tag that may end the value.
    fn search(
        &mut self,
        tags: &ValueTags,
        values: &Values,
        cursor: &mut Cursor<'_>,
    ) -> Option<GivenEnd> {
        let markers = [tags.closer, tags.ender, tags.opener];
        let found = find(cursor.rest(), &markers, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        self.raw.push_str(cursor.take(before));
        let Found::Marker { which, .. } = found else { return Some(GivenEnd::OutOfText) };
        if which < 2 {
            self.is_ender = which == 1;
            self.held.push_str(cursor.take(markers.get(which).map_or(0, |tag| tag.len())));
            return None;
        }
        match look_name(cursor.rest(), tags, cursor.more()) {
            Look::Yes(name) if values.awaits(&name, self) => Some(GivenEnd::NextParameter),
            Look::Undecided => Some(GivenEnd::OutOfText),
            found => {
                self.has_markup = true;
                self.open += usize::from(found != Look::No);
                self.raw.push_str(cursor.take(tags.opener.len()));
                None
            }
        }
    }

    /// Decides about a held tag by what follows it.
    fn settle(&mut self, tags: &ValueTags, cursor: &mut Cursor<'_>) -> Option<GivenEnd> {
        self.held.push_str(cursor.take_space());
        if cursor.is_empty() && !cursor.is_last() {
            return Some(GivenEnd::OutOfText);
        }
        let followers = if self.is_ender { tags.after_ender } else { tags.after_closer };
        let is_end = match look_any(cursor.rest(), followers, cursor.more()) {
            Look::Undecided => return Some(GivenEnd::OutOfText),
            Look::Yes(_) => true,
            // At the end of the text nothing tells the end of the call from its tag in a value that
            // was cut off: such a call is not to be run.
            Look::No => cursor.is_empty() && !self.is_ender,
        };
        // The end tag of a pair inside the value belongs to the value.
        let is_inner = !self.is_ender && self.open > 0 && !cursor.is_empty();
        let held = std::mem::take(&mut self.held);
        if !is_end || is_inner {
            self.has_markup = true;
            self.open = self.open.saturating_sub(usize::from(!self.is_ender));
            self.raw.push_str(&held);
            return None;
        }
        Some(if self.is_ender { GivenEnd::CallEnd } else { GivenEnd::Closed })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn look_name(text: &str, tags: &ValueTags, more: More) -> Look<String> {
    let Some(rest) = text.strip_prefix(tags.opener) else { return Look::No };
    let window = rest.char_indices().map(|(at, _)| at).find(|&at| at > LONGEST_NAME);
    let near = rest.get(..window.unwrap_or(rest.len())).unwrap_or(rest);
    match near.find(tags.after_name) {
        Some(len) => {
            let name = near.get(..len).unwrap_or_default();
            if name.contains(['<', '\n']) {
                return Look::No;
            }
            let behind = rest.get(len + tags.after_name.len()..).unwrap_or_default();
            if tags.value_opener.is_empty() {
                return Look::Yes(name.trim().to_owned());
            }
            look_word(behind, more, |word, more| look_literal(word, tags.value_opener, more))
                .map(|_| name.trim().to_owned())
        }
        None if window.is_none() && more == More::MayCome => Look::Undecided,
        None => Look::No,
    }
}
