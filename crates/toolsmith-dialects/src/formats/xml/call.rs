//! The inside of a call: its parameters, one after the other, until its end.

use std::ops::Range;

use memchr::memchr;

use super::{
    known::{Known, Parameter},
    tag::{Kind, Side, Tag, look_element, look_tag},
    value::{Open, Reading},
    whole::look_whole,
};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More},
    output::Output,
};

/// A call while it arrives.
#[derive(Debug)]
pub(super) struct Call {
    known: Known,
    /// The parameter that is being read.
    value: Option<Open>,
    /// A tag inside a value and the space behind it, until it is known what they are.
    tail: String,
    /// In the older form every parameter is an element of its own name.
    is_older: bool,
    /// Where text began that is no parameter.
    junk: Option<usize>,
    is_mixed: bool,
}

/// How far reading a call came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// There is more to read.
    Go,
    /// More text is needed.
    Wait,
    /// The call is all there, and ends at this place.
    Over(usize),
    /// The text ended before the call did.
    CutOff,
}

impl Call {
    pub(super) fn new(known: Known) -> Self {
        let tail = String::new();
        Self { known, value: None, tail, is_older: false, junk: None, is_mixed: false }
    }

    /// Reads on until the call is over or the text runs out.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Stage {
        loop {
            let stage = match &mut self.value {
                None => self.between(cursor, out),
                Some(open) => {
                    let reading = open.read(cursor, out, &self.known, &mut self.tail);
                    self.within(&reading, cursor, out)
                }
            };
            if stage != Stage::Go {
                return stage;
            }
        }
    }

    /// Ends the call; it is all there.
    pub(super) fn finish(mut self, end: usize, out: &mut Output<'_>) {
        self.end_junk(end, out);
        self.known.finish(end, out);
    }

    /// Ends the call because the text did.
    pub(super) fn cut_off(self, end: usize, out: &mut Output<'_>) {
        self.known.cut_off(end, out);
    }

    /// Goes on behind what was read of a value.
    fn within(&mut self, reading: &Reading, cursor: &Cursor<'_>, out: &mut Output<'_>) -> Stage {
        if *reading == Reading::Wait && !cursor.is_last() {
            return Stage::Wait;
        }
        if let Some(open) = &mut self.value {
            open.settle(reading, &mut self.known, out);
        }
        self.value = None;
        match reading {
            Reading::Wait => Stage::CutOff,
            Reading::Value => Stage::Go,
            Reading::Call(end) => Stage::Over(*end),
        }
    }

    /// Reads between parameters.
    fn between(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Stage {
        cursor.take_space();
        if cursor.is_empty() {
            return if cursor.is_last() { Stage::CutOff } else { Stage::Wait };
        }
        let rest = cursor.rest();
        match look_tag(rest, More::MayCome) {
            Look::Undecided => return cut_tag(cursor),
            Look::Yes(tag) => return self.go_on(tag, cursor, out),
            Look::No => {}
        }
        if self.is_older {
            match look_element(rest, More::MayCome) {
                Look::Undecided => return cut_tag(cursor),
                Look::Yes(name) => {
                    self.end_junk(cursor.offset(), out);
                    cursor.take(name.len() + "<>".len());
                    let wanted = self.known.wanted(name, None);
                    self.value = Some(Open::of_element(name, wanted, cursor.offset()));
                    return Stage::Go;
                }
                Look::No => {}
            }
        }
        self.junk.get_or_insert(cursor.offset());
        let next = memchr(b'<', rest.as_bytes().get(1..).unwrap_or_default());
        cursor.take(next.map_or(rest.len(), |at| at + 1));
        Stage::Go
    }

    /// Takes in parameters that are all there, and then the tag behind them.
    fn go_on<'a>(
        &mut self,
        mut tag: Tag<'a>,
        cursor: &mut Cursor<'a>,
        out: &mut Output<'_>,
    ) -> Stage {
        while let Some(name) = tag.name
            && tag.is(Kind::Parameter, Side::Open)
            && tag.prefix.is_empty()
            && let Some(whole) =
                look_whole(cursor.rest().get(tag.len..).unwrap_or_default(), cursor.more())
        {
            self.end_junk(cursor.offset(), out);
            self.check_prefix("", cursor.range(tag.len), out);
            cursor.take(tag.len);
            let range = cursor.range(whole.raw.len());
            cursor.take(whole.len);
            out.arguments(&self.known.begun, Some(name), whole.raw);
            let (wanted, raw) = (self.known.wanted(name, tag.is_string), whole.raw.into());
            self.known.add(Parameter { name: name.to_owned(), wanted, raw, range }, out);
            tag = whole.next;
        }
        self.meet(&tag, cursor, out)
    }

    fn meet(&mut self, tag: &Tag<'_>, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Stage {
        self.end_junk(cursor.offset(), out);
        match (tag.kind, tag.side, tag.name) {
            (Kind::Invoke, _, Some(_)) | (Kind::Wrapper, Side::Close, _) => {
                let message = format!("the call of `{}` has no end tag", self.known.begun.name);
                out.problem(ProblemKind::MissingEnd, cursor.range(0), message);
                return Stage::Over(cursor.offset());
            }
            (Kind::Parameter, Side::Open, Some(name)) => {
                self.check_prefix(tag.prefix, cursor.range(tag.len), out);
                let wanted = self.known.wanted(name, tag.is_string);
                let start = cursor.offset() + tag.len;
                self.value = Some(Open::new(name, wanted, tag.prefix, start));
            }
            (Kind::Parameter, Side::Empty, Some(name)) => {
                let wanted = self.known.wanted(name, tag.is_string);
                let (name, range) = (name.to_owned(), cursor.range(tag.len));
                self.known.add(Parameter { name, wanted, raw: "".into(), range }, out);
            }
            (Kind::Parameters, ..) => self.is_older = tag.side == Side::Open,
            (Kind::Invoke, Side::Close, _) => {}
            (_, Side::Close, _) => {
                let message = "an end tag without its beginning was left out";
                out.problem(ProblemKind::StrayTag, cursor.range(tag.len), message);
            }
            _ => self.junk = Some(cursor.offset()),
        }
        cursor.take(tag.len);
        if tag.is(Kind::Invoke, Side::Close) { Stage::Over(cursor.offset()) } else { Stage::Go }
    }

    /// Notes that the prefix of a tag is another than that of the call, once for each call.
    fn check_prefix(&mut self, prefix: &str, range: Range<usize>, out: &mut Output<'_>) {
        if !self.known.has_prefix(prefix) && !self.is_mixed {
            self.is_mixed = true;
            let ours = &self.known.prefix;
            let message = format!("the call's tags begin with `{ours}`, this one with `{prefix}`");
            out.problem(ProblemKind::MixedPrefix, range, message);
        }
    }

    /// Notes text that is no parameter, once it is over.
    fn end_junk(&mut self, at: usize, out: &mut Output<'_>) {
        if let Some(start) = self.junk.take() {
            let message = "text between the parameters of a call was left out";
            out.problem(ProblemKind::IgnoredText, start..at, message);
        }
    }
}

/// Stops in front of the start of a tag; at the end of the text, the call is cut off there.
///
/// What else the start of the tag holds is not looked at: a longer text reads it as one tag.
fn cut_tag(cursor: &mut Cursor<'_>) -> Stage {
    if !cursor.is_last() {
        return Stage::Wait;
    }
    cursor.take(cursor.rest().len());
    Stage::CutOff
}
