//! The value of a parameter while it arrives, and how its end is found.
//!
//! A value is raw text and may hold the tags of the dialect itself. So an end tag ends it only when
//! the call goes on behind it: with the next parameter, the end of the call, the next call or the
//! end of the block. Calls that begin and end inside the value are counted, mentions of their tags
//! are not. An opening tag of another parameter is remembered: when an end tag in the value answers it, both are text; when
//! none does, the end tag before it was dropped, and the value ends there.

use memchr::{memchr, memmem};
use toolsmith_core::Text;

use super::{
    entities,
    known::{Known, Parameter, is_same, to_prefix},
    tag::{Kind, Side, Tag, look_element, look_tag, proves_call},
};
use crate::{
    ProblemKind, Wanted,
    cursor::{Cursor, Look, More, look_literal},
    output::Output,
};

/// A value while it arrives.
#[derive(Debug)]
pub(super) struct Open {
    name: String,
    wanted: Wanted,
    prefix: Text,
    /// The end tag, in the older form where it is called like the parameter.
    element: Option<String>,
    text: String,
    /// Where the value begins in the whole input.
    start: usize,
    streamed: usize,
    /// A tag of the dialect was met: where the value ends is open, so streaming waits.
    has_markup: bool,
    /// Where the first end tag stands that was followed by something else.
    first_close: Option<usize>,
    openers: Vec<Opener>,
    /// How many calls have begun inside the value.
    depth: usize,
    undecided: Option<Undecided>,
    section: Section,
}

/// Where the value stands with regard to CDATA sections, in which no tag counts.
///
/// Only a section that the value begins with is one, or that follows another: values are raw text
/// and may speak of sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// One may begin here.
    MayBegin,
    /// Inside.
    Inside,
    /// None begins any more.
    Outside,
}

/// An opening tag of another parameter inside the value.
#[derive(Debug)]
struct Opener {
    at: usize,
    len: usize,
    name: String,
    wanted: Wanted,
}

/// A tag that means one thing or another by what follows it.
#[derive(Clone, Copy, Debug)]
struct Undecided {
    kind: Kind,
    side: Side,
    is_of_same_prefix: bool,
    /// The place behind the tag in the whole input.
    end: usize,
}

/// How far reading a value came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// More text is needed.
    Wait,
    /// The value is over; the call goes on.
    Value,
    /// The value has no end tag, and its call ends at this place.
    Call(usize),
}

impl Open {
    /// Begins the value of a parameter behind its tag.
    pub(super) fn new(name: &str, wanted: Wanted, prefix: &str, start: usize) -> Self {
        Self {
            name: name.to_owned(),
            wanted,
            prefix: to_prefix(prefix),
            element: None,
            text: String::new(),
            start,
            streamed: 0,
            has_markup: false,
            first_close: None,
            openers: Vec::new(),
            depth: 0,
            undecided: None,
            section: Section::MayBegin,
        }
    }

    /// Begins the value of an element of the older form.
    pub(super) fn of_element(name: &str, wanted: Wanted, start: usize) -> Self {
        Self { element: Some(format!("</{name}>")), ..Self::new(name, wanted, "", start) }
    }

    /// Reads on; `tail` keeps a tag and the space behind it until it is known what they are.
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        call: &Known,
        tail: &mut String,
    ) -> Reading {
        loop {
            if let Some(tag) = self.undecided {
                tail.push_str(cursor.take_space());
                match self.decide(tag, cursor, call) {
                    Look::Undecided => return Reading::Wait,
                    Look::Yes(reading) => return reading,
                    Look::No => self.keep(tag, tail, ""),
                }
            }
            if self.section != Section::Outside && !self.read_section(cursor, out, call) {
                return Reading::Wait;
            }
            let (len, tag) = self.next_tag(cursor.rest());
            // The start of a tag at the end of the text is value, with all that it holds.
            let len = if tag.is_none() && cursor.is_last() { cursor.rest().len() } else { len };
            self.push(cursor.take(len), out, call);
            let Some(tag) = tag else { return Reading::Wait };
            let text = cursor.take(tag.len);
            let Some(tag) = self.meet(&tag, text, cursor.offset(), call) else { continue };
            let space = cursor.take_space();
            match self.decide(tag, cursor, call) {
                Look::Yes(reading) => return reading,
                Look::No => self.keep(tag, text, space),
                Look::Undecided => {
                    tail.clear();
                    tail.push_str(text);
                    tail.push_str(space);
                    return Reading::Wait;
                }
            }
        }
    }

    /// Reads the CDATA sections that the value begins with; says whether they are over.
    fn read_section(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        call: &Known,
    ) -> bool {
        loop {
            let rest = cursor.rest();
            let (len, next) = match self.section {
                Section::Outside => return true,
                Section::MayBegin => {
                    let space = rest.len() - rest.trim_ascii_start().len();
                    let begins = rest.get(space..).unwrap_or_default();
                    match look_literal(begins, entities::CDATA, cursor.more()) {
                        Look::Yes(len) => (space + len, Some(Section::Inside)),
                        Look::No => (0, Some(Section::Outside)),
                        Look::Undecided => (space, None),
                    }
                }
                Section::Inside => {
                    let end = entities::CDATA_END;
                    match memmem::find(rest.as_bytes(), end.as_bytes()) {
                        Some(at) => (at + end.len(), Some(Section::MayBegin)),
                        None if cursor.is_last() => (rest.len(), None),
                        // What may be the start of the end is left for the next piece.
                        None => (rest.len() - brackets_at_end(rest), None),
                    }
                }
            };
            self.push(cursor.take(len), out, call);
            let Some(next) = next else { return false };
            self.section = next;
        }
    }

    /// Finds the next tag that may matter; without one, returns how much is surely value.
    fn next_tag<'a>(&self, rest: &'a str) -> (usize, Option<Tag<'a>>) {
        let mut at = 0;
        while let Some(skip) = memchr(b'<', rest.as_bytes().get(at..).unwrap_or_default()) {
            at += skip;
            let ahead = rest.get(at..).unwrap_or_default();
            let look = match &self.element {
                None => look_tag(ahead, More::MayCome),
                Some(element) => look_closer(ahead, element, More::MayCome),
            };
            match look {
                Look::Yes(tag) => return (at, Some(tag)),
                Look::Undecided => return (at, None),
                Look::No => at += 1,
            }
        }
        (rest.len(), None)
    }

    fn push(&mut self, text: &str, out: &mut Output<'_>, call: &Known) {
        self.text.push_str(text);
        if !self.has_markup {
            out.arguments(&call.begun, Some(&self.name), text);
            self.streamed = self.text.len();
        }
    }

    /// Takes in a tag that stands inside the value or ends it; `end` is the place behind it.
    ///
    /// Returns it when what follows must say which of the two it is.
    fn meet(&mut self, tag: &Tag<'_>, text: &str, end: usize, call: &Known) -> Option<Undecided> {
        let is_outer = self.depth == 0;
        let ends = is_outer && matches!(tag.kind, Kind::Parameter | Kind::Invoke);
        if (ends && tag.side == Side::Close)
            || (tag.is(Kind::Invoke, Side::Open) && tag.name.is_some())
        {
            let (kind, side) = (tag.kind, tag.side);
            let is_of_same_prefix = is_same(&self.prefix, tag.prefix);
            self.undecided = Some(Undecided { kind, side, is_of_same_prefix, end });
            return self.undecided;
        }
        if tag.is(Kind::Invoke, Side::Close) {
            self.depth -= 1;
        } else if is_outer
            && tag.is(Kind::Parameter, Side::Open)
            && let Some(name) = tag.name.filter(|name| call.may_take(name, &self.name))
        {
            let (at, len) = (self.text.len(), text.len());
            let wanted = call.wanted(name, tag.is_string);
            self.openers.push(Opener { at, len, name: name.to_owned(), wanted });
        }
        self.has_markup = true;
        self.text.push_str(text);
        None
    }

    /// Says by what follows whether an end tag is one, and whether a call begins in the value.
    fn decide(&mut self, tag: Undecided, cursor: &Cursor<'_>, call: &Known) -> Look<Reading> {
        let rest = cursor.rest();
        if rest.is_empty() {
            return Look::Undecided;
        }
        let next = match look_tag(rest, cursor.more()) {
            Look::Undecided => return Look::Undecided,
            Look::Yes(tag) => tag,
            Look::No if self.element.is_some() => return decide_element(rest, cursor.more()),
            Look::No => return Look::No,
        };
        if tag.side == Side::Open {
            self.depth += usize::from(proves_call(&next));
            return Look::No;
        }
        if tag.kind == Kind::Invoke {
            return if goes_on(&next) { Look::Yes(Reading::Call(tag.end)) } else { Look::No };
        }
        let is_end = follows_value(&next)
            || (self.element.is_some() && next.is(Kind::Parameters, Side::Close));
        let is_ours = tag.is_of_same_prefix || call.has_prefix(next.prefix);
        if is_end && is_ours { Look::Yes(Reading::Value) } else { Look::No }
    }

    /// Keeps a tag that ends nothing as text of the value.
    fn keep(&mut self, tag: Undecided, text: &str, space: &str) {
        self.undecided = None;
        self.has_markup = true;
        let is_closer = tag.kind == Kind::Parameter && tag.side == Side::Close;
        if is_closer && self.openers.pop().is_none() {
            self.first_close.get_or_insert(self.text.len());
        }
        self.text.push_str(text);
        self.text.push_str(space);
    }

    /// Gives the finished value to its call, and the values of parameters found inside it.
    pub(super) fn settle(&mut self, reading: &Reading, call: &mut Known, out: &mut Output<'_>) {
        let openers = std::mem::take(&mut self.openers);
        let is_one = !matches!(reading, Reading::Call(_)) && openers.is_empty();
        if is_one {
            let rest = self.text.get(self.streamed..).unwrap_or_default();
            out.arguments(&call.begun, Some(&self.name), rest);
            self.note_markup(out);
            let range = self.start..self.start + self.text.len();
            let name = std::mem::take(&mut self.name);
            let raw = std::mem::take(&mut self.text).into();
            return call.add(Parameter { name, wanted: self.wanted, raw, range }, out);
        }
        let mut from = 0;
        let (mut name, mut wanted) = (self.name.clone(), self.wanted);
        for opener in openers {
            self.add_part(from..opener.at, (name, wanted), call, out);
            from = opener.at + opener.len;
            (name, wanted) = (opener.name, opener.wanted);
        }
        self.add_part(from..self.text.len(), (name, wanted), call, out);
    }

    fn note_markup(&self, out: &mut Output<'_>) {
        if self.has_markup {
            let range = self.start..self.start + self.text.len();
            let message =
                format!("the value of `{}` holds tags of calls; they are its text", self.name);
            out.problem(ProblemKind::MarkupInValue, range, message);
        }
    }

    /// Gives a part of the text to the call, up to the first end tag in it if there is one.
    fn add_part(
        &self,
        part: std::ops::Range<usize>,
        (name, wanted): (String, Wanted),
        call: &mut Known,
        out: &mut Output<'_>,
    ) {
        let closed = self.first_close.filter(|close| part.contains(close));
        let end = closed.unwrap_or(part.end);
        let range = self.start + part.start..self.start + end;
        if closed.is_some() {
            let message = "text between the parameters of a call was left out";
            out.problem(ProblemKind::IgnoredText, range.end..self.start + part.end, message);
        } else if part.end < self.text.len()
            || self.undecided.is_none_or(|tag| tag.kind == Kind::Invoke)
        {
            let message = format!("`{name}` has no end tag; it ends where the call goes on");
            out.problem(ProblemKind::MissingEnd, range.clone(), message);
        }
        let rest = self.text.get(part.start.max(self.streamed)..end).unwrap_or_default();
        out.arguments(&call.begun, Some(&name), rest);
        let raw = self.text.get(part.start..end).unwrap_or_default().into();
        call.add(Parameter { name, wanted, raw, range }, out);
    }
}

/// Tells whether a tag behind an end tag shows that the call is over.
fn goes_on(next: &Tag<'_>) -> bool {
    next.is(Kind::Wrapper, Side::Close) || next.opens_named(Kind::Invoke)
}

/// Tells whether a tag behind an end tag shows that the value is over.
pub(super) fn follows_value(next: &Tag<'_>) -> bool {
    next.opens_named(Kind::Parameter) || next.is(Kind::Invoke, Side::Close) || goes_on(next)
}

/// Looks for the end tag of the older form, which is called like its parameter.
fn look_closer<'a>(text: &'a str, element: &str, more: More) -> Look<Tag<'a>> {
    match look_literal(text, element, more) {
        Look::Yes(len) => Look::Yes(Tag {
            kind: Kind::Parameter,
            side: Side::Close,
            prefix: "",
            name: None,
            id: None,
            is_string: None,
            len,
        }),
        Look::No => Look::No,
        Look::Undecided => Look::Undecided,
    }
}

/// Says by what follows whether an end tag of the older form is one.
fn decide_element(rest: &str, more: More) -> Look<Reading> {
    match look_element(rest, more) {
        Look::Yes(_) => Look::Yes(Reading::Value),
        Look::No => Look::No,
        Look::Undecided => Look::Undecided,
    }
}

/// Returns how many brackets at the end of a text may begin the end of a section.
fn brackets_at_end(text: &str) -> usize {
    text.bytes().rev().take(entities::CDATA_END.len() - 1).take_while(|&byte| byte == b']').count()
}
