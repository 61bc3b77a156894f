//! Calls that a server hands over in pieces, perhaps several at once.

use std::{collections::VecDeque, ops::Range};

use serde_json::Value;

use crate::{
    CallState, JsonScanner, ProblemKind,
    json::read_arguments,
    output::{Begun, Output},
};

/// The most calls that are handed over at once; each piece is looked up among them.
const MOST: usize = 256;

/// How a call came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Close {
    /// The server says that it is over.
    Finished,
    /// The server ended it, whether the model was done or not: what is not whole was cut off.
    Stopped,
    /// The answer stopped: it was too long, or the stream broke off.
    CutOff,
}

/// More of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Piece<'a> {
    /// What tells the calls of one answer apart.
    pub(crate) key: u64,
    /// The tool, in the first piece.
    pub(crate) name: Option<&'a str>,
    /// The identifier, in the first piece.
    pub(crate) id: Option<&'a str>,
    /// More of the JSON text of the arguments.
    pub(crate) arguments: &'a str,
    /// Where the piece stands in the whole input.
    pub(crate) range: Range<usize>,
}

impl<'a> Piece<'a> {
    /// Makes a piece of a member with a name and an identifier.
    pub(crate) fn of(call: &'a Value, key: u64, arguments: &'a str, range: Range<usize>) -> Self {
        // An empty name or identifier in a later piece says nothing.
        let text = |name| call.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        Self { key, name: text("name"), id: text("id"), arguments, range }
    }
}

/// The calls that are being handed over, in the order of their first pieces.
///
/// Events tell of one call at a time: what arrives of a later one waits.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    calls: VecDeque<Partial>,
    /// How many whole calls were read; their keys are behind those of streamed ones.
    whole: u64,
}

#[derive(Debug)]
struct Partial {
    key: u64,
    name: String,
    id: Option<String>,
    raw: String,
    scanner: JsonScanner,
    is_over: bool,
    /// The arguments are over, and may be readable.
    holds: bool,
    begun: Option<Begun>,
    streamed: usize,
    range: Range<usize>,
    close: Option<Close>,
}

impl Gathered {
    /// Returns the key of the call that began last and is still open.
    pub(crate) fn last_key(&self) -> Option<u64> {
        self.calls.iter().rev().find(|call| call.close.is_none()).map(|call| call.key)
    }

    /// Returns a key for a call that is handed over whole.
    pub(crate) fn whole_key(&mut self) -> u64 {
        self.whole += 1;
        u64::MAX - self.whole
    }

    /// Takes a piece in; one that names another call than the open one of its key begins that call.
    pub(crate) fn add(&mut self, piece: &Piece<'_>, out: &mut Output<'_>) {
        let is_full = self.calls.len() >= MOST;
        let mut open = self.open(piece.key);
        if let Some(call) = open.take_if(|call| call.is_followed_by(piece)) {
            call.close = Some(Close::Stopped);
        }
        match open {
            // A stream that broke off before this piece would have offered the call.
            Some(call) if call.holds && !piece.arguments.trim().is_empty() => {
                call.add(&Piece { arguments: "", ..piece.clone() });
                let message = "more text behind the arguments of a call was left out";
                out.problem(ProblemKind::IgnoredText, piece.range.clone(), message);
            }
            Some(call) => call.add(piece),
            None if is_full => {
                let message = "too many calls are open at once; this one was left out";
                out.problem(ProblemKind::IgnoredText, piece.range.clone(), message);
            }
            None => {
                let mut call = Partial::new(piece);
                call.add(piece);
                self.calls.push_back(call);
            }
        }
        self.pass_on(out);
    }

    /// Takes the whole arguments of an open call in, of which pieces may have come before.
    pub(crate) fn complete(&mut self, piece: &Piece<'_>, out: &mut Output<'_>) {
        if self.open(piece.key).is_some_and(|call| call.complete(piece)) {
            let message = "the arguments at the end of the call are not those that were streamed; the latter hold";
            out.problem(ProblemKind::IgnoredText, piece.range.clone(), message);
        }
        self.pass_on(out);
    }

    /// Ends a call.
    pub(crate) fn close(&mut self, key: u64, close: Close, out: &mut Output<'_>) {
        for call in self.calls.iter_mut().filter(|call| call.key == key) {
            call.close.get_or_insert(close);
        }
        self.pass_on(out);
    }

    /// Ends all calls.
    pub(crate) fn close_all(&mut self, close: Close, out: &mut Output<'_>) {
        for call in &mut self.calls {
            call.close.get_or_insert(close);
        }
        self.pass_on(out);
    }

    /// Tells whether a call of this key is open.
    pub(crate) fn has(&self, key: u64) -> bool {
        self.calls.iter().any(|call| call.key == key && call.close.is_none())
    }

    fn open(&mut self, key: u64) -> Option<&mut Partial> {
        self.calls.iter_mut().find(|call| call.key == key && call.close.is_none())
    }

    fn pass_on(&mut self, out: &mut Output<'_>) {
        loop {
            let is_followed = self.calls.len() > 1;
            let Some(call) = self.calls.front_mut() else { return };
            if call.is_over && is_followed {
                call.close.get_or_insert(Close::Finished);
            }
            call.stream(out);
            if call.close.is_none() {
                return;
            }
            if let Some(call) = self.calls.pop_front() {
                call.end(out);
            }
        }
    }
}

impl Partial {
    fn new(piece: &Piece<'_>) -> Self {
        Self {
            key: piece.key,
            name: String::new(),
            id: None,
            raw: String::new(),
            scanner: JsonScanner::default(),
            is_over: false,
            holds: false,
            begun: None,
            streamed: 0,
            range: piece.range.clone(),
            close: None,
        }
    }

    /// Tells whether a piece with the same key is the start of another call.
    ///
    /// Some servers give all calls of an answer one index, or none. Others repeat the name in every
    /// piece, or make up an identifier for each: neither alone begins a call.
    fn is_followed_by(&self, piece: &Piece<'_>) -> bool {
        let Some(name) = piece.name.filter(|_| !self.name.is_empty()) else { return false };
        let has_other_id = match (self.id.as_deref(), piece.id) {
            (Some(own), Some(other)) if own == other => return false,
            (Some(_), Some(_)) => true,
            _ => false,
        };
        let is_between = self.is_over || !self.scanner.has_begun();
        name != self.name
            || (has_other_id && is_between)
            || (self.is_over && !piece.arguments.trim().is_empty())
    }

    /// Takes the arguments as the server has them at the end: what was streamed may be nothing.
    ///
    /// Returns whether they are others than those that were streamed whole, which then hold: a
    /// stream that broke off before would have offered them.
    fn complete(&mut self, piece: &Piece<'_>) -> bool {
        self.add(&Piece { arguments: "", ..piece.clone() });
        let is_given = !piece.arguments.trim().is_empty();
        if !is_given || self.is_over {
            return is_given && piece.arguments != self.raw;
        }
        if let Some(rest) = piece.arguments.strip_prefix(self.raw.as_str()) {
            self.add(&Piece { arguments: rest, ..piece.clone() });
            return false;
        }
        piece.arguments.clone_into(&mut self.raw);
        self.scanner = JsonScanner::default();
        self.scan(piece.arguments);
        // Events cannot take back what they told; the call itself is what counts.
        self.streamed = self.raw.len();
        false
    }

    fn add(&mut self, piece: &Piece<'_>) {
        if let Some(name) = piece.name.filter(|_| self.name.is_empty()) {
            self.name = name.to_owned();
        }
        if self.id.is_none() {
            self.id = piece.id.map(str::to_owned);
        }
        self.raw.push_str(piece.arguments);
        self.scan(piece.arguments);
        self.range.end = self.range.end.max(piece.range.end);
    }

    /// Looks whether the arguments are over with a piece that stands at their end.
    fn scan(&mut self, piece: &str) {
        if !self.is_over && self.scanner.feed(piece).is_some() {
            self.is_over = true;
            let raw = self.raw.trim_start();
            self.holds =
                ["{", "\"", "'", "null", "None"].iter().any(|start| raw.starts_with(start));
        }
    }

    fn stream(&mut self, out: &mut Output<'_>) {
        if self.name.is_empty() && self.close.is_none() {
            return;
        }
        let begun = self
            .begun
            .get_or_insert_with(|| out.begin(&self.name, self.id.as_deref(), self.range.start));
        out.arguments(begun, None, self.raw.get(self.streamed..).unwrap_or_default());
        self.streamed = self.raw.len();
    }

    fn end(self, out: &mut Output<'_>) {
        let Some(call) = self.begun else { return };
        let call = call.with_late_id(self.id.as_deref());
        let range = self.range;
        let is_cut = match self.close {
            Some(Close::Finished) | None => !self.is_over && ends_in_number(&self.raw),
            Some(Close::Stopped) => !self.is_over && !self.raw.trim().is_empty(),
            Some(Close::CutOff) => !self.is_over,
        };
        if is_cut {
            return out.cut_off(call, Value::String(self.raw), range.end);
        }
        if call.name.is_empty() {
            let message = "a call has no name, so it is not to be run";
            out.problem(ProblemKind::NamelessCall, range.clone(), message);
            return out.end(call, Value::String(self.raw), CallState::Unreadable, range.end);
        }
        let (arguments, state) = read_arguments(&self.raw, range.clone(), out);
        out.end(call, arguments, state, range.end);
    }
}

/// Tells whether a text ends in a number, so that more digits could have followed.
fn ends_in_number(raw: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let word = raw.get(raw.trim_end_matches(is_part).len()..).unwrap_or_default();
    word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
}
