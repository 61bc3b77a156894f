//! Calls between special tokens: a section, in it calls of a head and a JSON body.

use super::{Body, BodyEnd, Found, Gap, find, look_any};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More},
    format::Machine,
    output::{Begun, Output},
    prose::{Prose, Starts},
};

/// The special tokens of a dialect.
#[derive(Debug)]
pub(crate) struct Tokens {
    /// Opens a section; some models have several spellings.
    pub(crate) section_begin: &'static [&'static str],
    /// Opens a call.
    pub(crate) call_begin: &'static str,
    /// Stands between the head and the body of a call.
    pub(crate) head_end: &'static str,
    /// Closes a call.
    pub(crate) call_end: &'static str,
    /// Closes a section.
    pub(crate) section_end: &'static [&'static str],
    /// Reads the head: the text before the separator, and what stands between it and the `{`.
    pub(crate) head: fn(&str, &str) -> Head,
}

/// What the head of a call says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The tool.
    pub(crate) name: String,
    /// The identifier of the call.
    pub(crate) id: Option<String>,
}

/// Reads calls between special tokens.
#[derive(Debug)]
pub(crate) struct Section {
    tokens: &'static Tokens,
    prose: Prose,
    place: Place,
    gap: Gap,
}

#[derive(Debug)]
enum Place {
    /// In the text around sections.
    Outside,
    /// In a section, between calls.
    Between,
    /// In the head of a call that begins at this place.
    Head(usize, String),
    /// Behind the separator, before the body: the start, the head, what stands here.
    Lead(usize, String, String),
    Body(Box<Body>),
    /// Behind a body.
    After,
}

impl Section {
    /// Makes a reader for a set of tokens.
    pub(crate) fn new(tokens: &'static Tokens) -> Self {
        Self { tokens, prose: Prose::default(), place: Place::Outside, gap: Gap::default() }
    }

    fn outside(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let tokens = self.tokens;
        let look = |text: &str, more: More| tokens.look(text, more);
        let Some(token) = self.prose.read(cursor, out, Starts::Angle, look) else { return false };
        self.take(token, cursor, out);
        true
    }

    /// Takes a token in, wherever it stands.
    fn take(&mut self, token: Token, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        let start = cursor.offset();
        let len = self.tokens.len(token);
        cursor.take(len);
        self.place = match token {
            Token::SectionBegin(_) => Place::Between,
            Token::CallBegin => Place::Head(start, String::new()),
            Token::SectionEnd(_) | Token::CallEnd | Token::HeadEnd => {
                let message = "a special token stands outside a call; it was left out";
                out.problem(ProblemKind::StrayTag, start..start + len, message);
                Place::Outside
            }
        };
    }

    fn between(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        self.place = Place::Between;
        let Some(token) = self.skip(cursor, out) else { return false };
        match token {
            Token::SectionEnd(_) => {
                cursor.take(self.tokens.len(token));
                self.place = Place::Outside;
            }
            token => {
                self.take(token, cursor, out);
                if matches!(self.place, Place::Outside) {
                    self.place = Place::Between;
                }
            }
        }
        true
    }

    /// Goes to the next token.
    fn skip(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> Option<Token> {
        let which = self.gap.skip(&self.tokens.all(), cursor, out)?;
        Some(self.tokens.number(which))
    }

    fn head(
        &mut self,
        start: usize,
        mut head: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let all = self.tokens.all();
        let found = find(cursor.rest(), &all, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        head.push_str(cursor.take(before));
        let token = match found {
            Found::Marker { which, .. } => Some(self.tokens.number(which)),
            Found::Nothing { .. } => None,
        };
        match token {
            Some(Token::HeadEnd) => {
                cursor.take(self.tokens.head_end.len());
                self.place = Place::Lead(start, head, String::new());
                true
            }
            Some(_) => {
                self.no_head(start, cursor, out);
                true
            }
            None if cursor.is_last() => {
                self.no_head(start, cursor, out);
                false
            }
            None => {
                self.place = Place::Head(start, head);
                false
            }
        }
    }

    fn no_head(&mut self, start: usize, cursor: &Cursor<'_>, out: &mut Output<'_>) {
        let message = "a call has no readable head, so it was left out";
        out.problem(ProblemKind::NamelessCall, start..cursor.offset(), message);
        self.place = Place::Between;
    }

    /// Reads what stands between the separator and the body: nothing, or a name and a fence.
    fn lead(
        &mut self,
        (start, head, mut lead): (usize, String, String),
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let all = self.tokens.all();
        let found = find(cursor.rest(), &all, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        let clear = cursor.rest().get(..before).unwrap_or_default();
        let brace = clear.find('{');
        lead.push_str(cursor.take(brace.unwrap_or(before)));
        let is_stopped = matches!(found, Found::Marker { .. }) || cursor.is_last();
        if brace.is_none() && !is_stopped {
            self.place = Place::Lead(start, head, lead);
            return false;
        }
        let Head { name, id } = (self.tokens.head)(&head, &lead);
        if name.is_empty() {
            self.no_head(start, cursor, out);
            return true;
        }
        let call: Begun = out.begin(&name, id.as_deref(), start);
        self.place = Place::Body(Box::new(Body::new(call, cursor.offset())));
        true
    }

    fn body(&mut self, body: Box<Body>, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match body.read(cursor, out, &self.tokens.all()) {
            BodyEnd::Over => self.place = Place::After,
            BodyEnd::CutOff => return false,
            BodyEnd::More(body) => {
                self.place = Place::Body(body);
                return false;
            }
        }
        true
    }

    fn after(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        self.place = Place::After;
        let Some(token) = self.skip(cursor, out) else {
            if cursor.is_last() {
                Body::note_missing_end(out, cursor.offset());
            }
            return false;
        };
        self.place = Place::Between;
        if matches!(token, Token::CallEnd) {
            cursor.take(self.tokens.call_end.len());
        } else {
            Body::note_missing_end(out, cursor.offset());
        }
        true
    }
}

impl Machine for Section {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::replace(&mut self.place, Place::Outside) {
            Place::Outside => self.outside(cursor, out),
            Place::Between => self.between(cursor, out),
            Place::Head(start, head) => self.head(start, head, cursor, out),
            Place::Lead(start, head, lead) => self.lead((start, head, lead), cursor, out),
            Place::Body(body) => self.body(body, cursor, out),
            Place::After => self.after(cursor, out),
        }
    }

    fn prose(&mut self) -> Option<&mut Prose> {
        Some(&mut self.prose)
    }
}

#[derive(Clone, Copy, Debug)]
enum Token {
    SectionBegin(usize),
    SectionEnd(usize),
    CallBegin,
    HeadEnd,
    CallEnd,
}

/// The place of the end of a call in the list of all tokens.
const CALL_END: usize = 2;

impl Tokens {
    /// Looks whether a text starts with a token.
    pub(crate) fn starts(&self, text: &str, more: More) -> Look<()> {
        look_any(text, self.section_begin, more).map(|_| ())
    }

    fn look(&self, text: &str, more: More) -> Look<Token> {
        look_any(text, &self.all(), more).map(|which| self.number(which))
    }

    fn all(&self) -> Vec<&'static str> {
        let calls = [self.call_begin, self.head_end, self.call_end];
        calls
            .into_iter()
            .chain(self.section_begin.iter().chain(self.section_end).copied())
            .collect()
    }

    fn number(&self, which: usize) -> Token {
        match which {
            0 => Token::CallBegin,
            1 => Token::HeadEnd,
            CALL_END => Token::CallEnd,
            more => {
                let begin = more - 3;
                match begin.checked_sub(self.section_begin.len()) {
                    None => Token::SectionBegin(begin),
                    Some(end) => Token::SectionEnd(end),
                }
            }
        }
    }

    fn len(&self, token: Token) -> usize {
        match token {
            Token::SectionBegin(which) => self.section_begin.get(which).map_or(0, |t| t.len()),
            Token::SectionEnd(which) => self.section_end.get(which).map_or(0, |t| t.len()),
            Token::CallBegin => self.call_begin.len(),
            Token::HeadEnd => self.head_end.len(),
            Token::CallEnd => self.call_end.len(),
        }
    }
}
