//! What tells the answers of servers apart: the strings near the start of a document.

use crate::cursor::{Look, More};

/// How many bytes a look goes into a document.
const LOOK_AHEAD: usize = 256;
/// How many strings of a document are looked at.
const MOST_STRINGS: usize = 12;
/// How deep in brackets a mark may stand.
const DEEPEST: usize = 6;
/// The first keys of the documents that servers and clients send.
const FIRST_KEYS: [&str; 20] = [
    "candidates",
    "choices",
    "content",
    "content_block",
    "created",
    "function",
    "functionCall",
    "id",
    "index",
    "jsonrpc",
    "message",
    "method",
    "model",
    "object",
    "output",
    "params",
    "parts",
    "role",
    "tool_calls",
    "type",
];

/// A string that only one kind of answer has near its start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mark {
    /// This key or value.
    Is(&'static str),
    /// A key or value that begins so.
    Begins(&'static str),
    /// This key with this value.
    Pair(&'static str, &'static str),
    /// This key with a value that begins so.
    PairBegins(&'static str, &'static str),
}

/// The strings near the start of a document, each with the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strings<'a> {
    found: [&'a str; MOST_STRINGS],
    len: usize,
    /// A bit for each beginning among them, so that most marks are ruled out at once.
    firsts: u64,
    /// Bit number `n` says that an object of a list ends behind `n` of them.
    ends: u16,
}

impl<'a> Strings<'a> {
    /// Looks for an object, or a list of them, with a key in front that servers send.
    pub(crate) fn look(text: &'a str, more: More) -> Look<Self> {
        let mut scan = Scan { text, at: 0, depth: 0, is_list: false, has_ended: false };
        let mut next = scan.first();
        if matches!(next, Next::Over) {
            return Look::No;
        }
        let mut found = Self::default();
        while let Next::String(string) = next {
            if found.len == 0 && !FIRST_KEYS.contains(&string) {
                return Look::No;
            }
            found.push(string);
            next = if found.len < MOST_STRINGS { scan.next() } else { Next::Over };
            found.ends |= u16::from(std::mem::take(&mut scan.has_ended)) << found.len;
        }
        let is_cut = matches!(next, Next::Cut) && more == More::MayCome && text.len() < LOOK_AHEAD;
        match (is_cut, found.len) {
            (true, 0) if !scan.may_be_key() => Look::No,
            (true, _) => Look::Undecided,
            (false, 0) => Look::No,
            (false, _) => Look::Yes(found),
        }
    }

    /// Returns those up to the end of each object of a list, and then all of them.
    ///
    /// The first object that tells decides: what follows it must not change how it is read.
    pub(crate) fn parts(self) -> impl Iterator<Item = Self> {
        let ends = (0..self.len).filter(move |len| self.ends >> len & 1 == 1);
        ends.chain([self.len]).map(move |len| self.up_to(len))
    }

    fn up_to(mut self, len: usize) -> Self {
        self.len = len;
        self
    }

    /// Tells whether one of some marks is among them.
    pub(crate) fn have(&self, marks: &[Mark]) -> bool {
        marks.iter().any(|mark| self.has(*mark))
    }

    fn has(&self, mark: Mark) -> bool {
        let (Mark::Is(word) | Mark::Begins(word) | Mark::Pair(_, word) | Mark::PairBegins(_, word)) =
            mark;
        if self.firsts & first_bit(word) == 0 {
            return false;
        }
        let strings = self.found.get(..self.len).unwrap_or_default();
        let mut before = "";
        strings.iter().any(|&string| {
            let key = std::mem::replace(&mut before, string);
            match mark {
                Mark::Is(word) => string == word,
                Mark::Begins(word) => string.starts_with(word),
                Mark::Pair(wanted, word) => string == word && key == wanted,
                Mark::PairBegins(wanted, word) => string.starts_with(word) && key == wanted,
            }
        })
    }

    fn push(&mut self, string: &'a str) {
        if let Some(place) = self.found.get_mut(self.len) {
            *place = string;
            self.firsts |= first_bit(string);
            self.len += 1;
        }
    }
}

/// Returns one of 64 bits by the first two bytes.
fn first_bit(string: &str) -> u64 {
    match string.as_bytes() {
        [one, two, ..] => 1 << (one.wrapping_mul(7).wrapping_add(*two) % 64),
        _ => 0,
    }
}

/// What a scan came to.
enum Next<'a> {
    /// A string, without its quotes and as it is written.
    String(&'a str),
    /// The document is over, or is none.
    Over,
    /// The text, or what is looked at of it, ends first.
    Cut,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// How many brackets are open.
    depth: usize,
    /// The document is a list.
    is_list: bool,
    /// An object of the list has ended since the last string.
    has_ended: bool,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied().filter(|_| self.at < LOOK_AHEAD)
    }

    /// Reads the first key: behind `{`, or behind `[` and `{`.
    fn first(&mut self) -> Next<'a> {
        if self.peek() == Some(b'[') {
            self.is_list = true;
            self.open();
        }
        match self.peek() {
            Some(b'{') => self.open(),
            Some(_) => return Next::Over,
            None => return Next::Cut,
        }
        match self.peek() {
            Some(b'"') => self.quoted(),
            Some(_) => Next::Over,
            None => Next::Cut,
        }
    }

    fn open(&mut self) {
        self.at += 1;
        self.depth += 1;
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Reads the next string.
    fn next(&mut self) -> Next<'a> {
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => return self.quoted(),
                b'{' | b'[' if self.depth == DEEPEST => return Next::Over,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => {
                    self.depth -= 1;
                    self.has_ended |= self.is_list && self.depth == 1;
                }
                b'}' | b']' => return Next::Over,
                _ => {}
            }
            self.at += 1;
        }
        Next::Cut
    }

    fn quoted(&mut self) -> Next<'a> {
        let start = self.at + 1;
        let mut end = start;
        while let Some(&byte) = self.text.as_bytes().get(end).filter(|_| end < LOOK_AHEAD) {
            match byte {
                b'"' => {
                    self.at = end + 1;
                    return Next::String(self.text.get(start..end).unwrap_or_default());
                }
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        Next::Cut
    }

    /// Tells whether a key that is cut off here may become one that servers send.
    fn may_be_key(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.strip_prefix('"')
            .is_none_or(|key| FIRST_KEYS.iter().any(|known| known.starts_with(key)))
    }
}
