//! A whole reply, read at once.

use std::{borrow::Cow, ops::Range};

use serde::Serialize;

use crate::{CallState, Dialect, Event, ParsedCall, Parser, Problem, Settings, Tools};

/// A piece of text that belongs to no call, or of reasoning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextPiece {
    /// The text, to the byte.
    pub text: String,
    /// Where it stands in the whole input; in a server's answer, the JSON object that holds it.
    pub range: Range<usize>,
}

/// What a whole reply holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Reply {
    /// The text around the calls, in order; pieces that touch are one.
    pub pieces: Vec<TextPiece>,
    /// What the model thought aloud, in order; it is no part of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasoning: Vec<TextPiece>,
    /// The calls that are all there, in order.
    pub calls: Vec<ParsedCall>,
    /// The calls that must not be run: unfinished, unreadable and merely thought ones.
    pub set_aside: Vec<ParsedCall>,
    /// What is odd, in the order in which it was noticed.
    pub problems: Vec<Problem>,
}

impl Reply {
    /// Returns the text around the calls, joined.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Returns what the model thought aloud, joined.
    pub fn reasoning(&self) -> String {
        self.reasoning.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Takes one more event in.
    pub fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text { text, range } => add_piece(&mut self.pieces, text, range),
            Event::Reasoning { text, range } => add_piece(&mut self.reasoning, text, range),
            Event::ReasoningEnd { .. } => self.end_reasoning(),
            Event::CallEnd { call, .. } if call.is_complete() => self.calls.push(call),
            Event::CallEnd { call, .. } => self.set_aside.push(call),
            Event::Problem(problem) => self.problems.push(problem),
            Event::CallStart { .. } | Event::Arguments { .. } => {}
        }
    }

    /// Takes all text so far for reasoning, and the calls in it for thoughts.
    fn end_reasoning(&mut self) {
        self.reasoning.append(&mut self.pieces);
        let thoughts = self.calls.drain(..);
        self.set_aside
            .extend(thoughts.map(|call| ParsedCall { state: CallState::Thought, ..call }));
        self.set_aside.sort_by_key(|call| call.range.start);
    }
}

/// Reads a whole reply; it never fails, and says what is odd in the problems.
pub fn parse(dialect: Dialect, text: &str, tools: &Tools, settings: &Settings) -> Reply {
    let mut reply = Reply::default();
    Parser::new(dialect, tools.clone(), settings.clone())
        .read_last(text, &mut |event| reply.add(event));
    reply
}

/// Adds a piece; one that touches the last becomes part of it.
fn add_piece(pieces: &mut Vec<TextPiece>, text: Cow<'_, str>, range: Range<usize>) {
    match pieces.last_mut() {
        Some(last) if last.range.end == range.start => {
            last.text.push_str(&text);
            last.range.end = range.end;
        }
        _ => pieces.push(TextPiece { text: text.into_owned(), range }),
    }
}
