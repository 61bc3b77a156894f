//! The JSON arguments of a call whose name stands outside of them.

use serde_json::Value;

use super::{Span, Step};
use crate::{
    CallState, ProblemKind,
    cursor::Cursor,
    json::read_arguments,
    output::{Begun, Output},
};

/// The arguments of a begun call, as they arrive.
#[derive(Debug)]
pub(crate) struct Body {
    call: Begun,
    span: Span,
}

/// How far the arguments of a call were read.
#[derive(Debug)]
pub(crate) enum BodyEnd {
    /// There is no more text for now.
    More(Box<Body>),
    /// The call is over.
    Over,
    /// The text ended first.
    CutOff,
}

impl Body {
    /// Begins the arguments of a call at a place in the whole input.
    pub(crate) fn new(call: Begun, start: usize) -> Self {
        Self { call, span: Span::new(start) }
    }

    /// Reads on, streams what it reads, and ends the call where its arguments end.
    pub(crate) fn read(
        mut self: Box<Self>,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        enders: &[&str],
    ) -> BodyEnd {
        match self.follow(cursor, out, enders) {
            step @ (Step::Over | Step::Stopped) => {
                self.finish(step, out);
                BodyEnd::Over
            }
            Step::More if cursor.is_last() => {
                let end = self.span.end();
                out.cut_off(self.call, Value::String(self.span.raw), end);
                BodyEnd::CutOff
            }
            Step::More => BodyEnd::More(self),
        }
    }

    fn follow(&mut self, cursor: &mut Cursor<'_>, out: &mut Output<'_>, enders: &[&str]) -> Step {
        let before = self.span.raw.len();
        let step = self.span.read(cursor, enders);
        let piece = self.span.raw.get(before..).unwrap_or_default();
        out.arguments(&self.call, None, piece);
        step
    }

    /// Ends the call: its arguments are over, or an end marker says so.
    ///
    /// Before an end marker no arguments are none; before anything else they are missing.
    fn finish(self, step: Step, out: &mut Output<'_>) {
        let end = self.span.end();
        if step == Step::Over && self.span.raw.trim().is_empty() {
            let message = "what follows the name is no JSON object; write the arguments as one";
            out.problem(ProblemKind::UnreadableArguments, self.span.start..end, message);
            return out.end(self.call, Value::String(self.span.raw), CallState::Unreadable, end);
        }
        // Before an end marker, the closing fence around a body with a missing bracket is in it.
        let raw = match step {
            Step::Stopped => self.span.raw.trim_end().trim_end_matches('`'),
            Step::Over | Step::More => &self.span.raw,
        };
        let (arguments, state) = read_arguments(raw, self.span.start..end, out);
        out.end(self.call, arguments, state, end);
    }

    /// Notes that the end marker is missing behind arguments that are all there.
    pub(crate) fn note_missing_end(out: &mut Output<'_>, at: usize) {
        out.problem(
            ProblemKind::MissingEnd,
            at..at,
            "the end marker of the call is missing; its arguments are all there",
        );
    }
}
