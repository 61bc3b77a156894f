//! Reads messages with headers.

use super::super::reading::{Body, BodyEnd, Found, find, look_any};
use crate::{
    ProblemKind,
    cursor::{Cursor, Look, More},
    format::Machine,
    output::Output,
};

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const TOKENS: [&str; 6] = [START, CHANNEL, MESSAGE, "<|call|>", "<|end|>", "<|return|>"];

/// Looks for the header of a message.
pub(super) fn claims(text: &str, more: More) -> Look<()> {
    look_any(text, &[START, CHANNEL], more).map(|_| ())
}

/// Reads the dialect of gpt-oss.
#[derive(Debug, Default)]
pub(super) struct Reader {
    place: Place,
}

#[derive(Debug, Default)]
enum Place {
    /// In text: before the first message, or in one without a recipient.
    #[default]
    Text,
    /// In a header that begins at this place.
    Header(usize, String),
    /// In a message of the channel `analysis`.
    Thought,
    Body(Box<Body>),
    /// Behind the arguments of a call.
    After,
}

impl Machine for Reader {
    fn step(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match std::mem::take(&mut self.place) {
            Place::Text => self.text(cursor, out),
            Place::Header(start, header) => self.header(start, header, cursor, out),
            Place::Thought => self.thought(cursor, out),
            Place::Body(body) => self.body(body, cursor, out),
            Place::After => self.after(cursor, out),
        }
    }
}

impl Reader {
    fn text(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let found = find(cursor.rest(), &TOKENS, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        let start = cursor.offset();
        out.text(cursor.take(before), start);
        self.meet(found, cursor)
    }

    /// Takes a token in that was found outside a header.
    fn meet(&mut self, found: Found, cursor: &mut Cursor<'_>) -> bool {
        let Found::Marker { which, .. } = found else { return false };
        let start = cursor.offset();
        let token = TOKENS.get(which).copied().unwrap_or_default();
        let text = cursor.take(token.len());
        if which < 2 {
            self.place = Place::Header(start, text.to_owned());
        }
        true
    }

    fn header(
        &mut self,
        start: usize,
        mut header: String,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
    ) -> bool {
        let found = find(cursor.rest(), &TOKENS, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        header.push_str(cursor.take(before));
        let Found::Marker { which, .. } = found else {
            if cursor.is_last() {
                let message = "the text ends in the header of a message";
                out.problem(ProblemKind::UnfinishedCall, start..cursor.offset(), message);
            } else {
                self.place = Place::Header(start, header);
            }
            return false;
        };
        let token = TOKENS.get(which).copied().unwrap_or_default();
        if token == CHANNEL {
            header.push_str(cursor.take(token.len()));
            self.place = Place::Header(start, header);
            return true;
        }
        if token != MESSAGE {
            let message = "the header of a message is not followed by one";
            out.problem(ProblemKind::MalformedInput, start..cursor.offset(), message);
            return true;
        }
        cursor.take(MESSAGE.len());
        self.open(start, &header, cursor, out);
        true
    }

    /// Begins what a header announces.
    fn open(&mut self, start: usize, header: &str, cursor: &Cursor<'_>, out: &mut Output<'_>) {
        let channel = header.rsplit_once(CHANNEL).map_or("", |(_, channel)| channel).trim_start();
        self.place = match recipient(header) {
            // A tool answers the assistant: the model went on and made up the result.
            Some("assistant") => {
                let message = "the model wrote the result of its own call; it is text";
                out.problem(ProblemKind::InventedResult, start..cursor.offset(), message);
                Place::Text
            }
            Some(name) if name != "user" => {
                let name = name.strip_prefix("functions.").unwrap_or(name);
                let call = out.begin(name, None, start);
                Place::Body(Box::new(Body::new(call, cursor.offset())))
            }
            _ if channel.starts_with("analysis") => Place::Thought,
            _ => Place::Text,
        };
    }

    fn thought(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let found = find(cursor.rest(), &TOKENS, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        let start = cursor.offset();
        out.reasoning(cursor.take(before), start);
        if matches!(found, Found::Nothing { .. }) {
            self.place = Place::Thought;
        }
        self.meet(found, cursor)
    }

    fn body(&mut self, body: Box<Body>, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        match body.read(cursor, out, &TOKENS) {
            BodyEnd::Over => self.place = Place::After,
            BodyEnd::CutOff => return false,
            BodyEnd::More(body) => {
                self.place = Place::Body(body);
                return false;
            }
        }
        true
    }

    /// Goes to the token that ends the call.
    fn after(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>) -> bool {
        let found = find(cursor.rest(), &TOKENS, cursor.more());
        let (Found::Marker { before, .. } | Found::Nothing { clear: before }) = found;
        cursor.take(before);
        if matches!(found, Found::Nothing { .. }) {
            if cursor.is_last() {
                Body::note_missing_end(out, cursor.offset());
            } else {
                self.place = Place::After;
            }
            return false;
        }
        self.meet(found, cursor)
    }
}

/// Returns the recipient in a header: `to=functions.add`, in the role part or behind the channel.
fn recipient(header: &str) -> Option<&str> {
    let (_, behind) = header.split_once("to=")?;
    let end = behind.find(|c: char| c.is_whitespace()).unwrap_or(behind.len());
    let name = behind.get(..end)?;
    let name = name.split('<').next()?;
    (!name.is_empty()).then_some(name)
}
