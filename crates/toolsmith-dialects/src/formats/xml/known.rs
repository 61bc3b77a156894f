//! What is known of a call while it arrives: who is called, and the parameters so far.

use std::{ops::Range, sync::Arc};

use serde_json::{Map, Value};
use toolsmith_core::Text;

use super::entities;
use crate::{
    CallState, Entities, ProblemKind, Shape, TypingNote, Wanted,
    output::{Begun, Output},
    type_text,
};

/// How many parameters there is room for from the start.
const USUAL_PARAMETERS: usize = 4;

/// What is known of a call while it arrives.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) begun: Begun,
    /// The prefix of its tags.
    pub(super) prefix: Text,
    arguments: Map<String, Value>,
    shape: Option<Arc<Shape>>,
}

/// A parameter whose end was found.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: Text,
    /// What the attribute `string` says.
    pub(super) is_string: Option<bool>,
    pub(super) raw: String,
    /// Where the value stands in the whole input.
    pub(super) range: Range<usize>,
}

impl Known {
    pub(super) fn new(begun: Begun, prefix: Text, out: &Output<'_>) -> Self {
        let shape = out.tools.shape(&begun.name);
        Self { begun, prefix, arguments: Map::with_capacity(USUAL_PARAMETERS), shape }
    }

    /// Tells whether a tag inside a value may be the next parameter, whose predecessor has no end.
    pub(super) fn may_take(&self, name: &str, current: &str) -> bool {
        name != current
            && !self.arguments.contains_key(name)
            && self.shape.as_ref().is_none_or(|shape| shape.names(name))
    }

    /// Takes a parameter in, typed by the tool's schema.
    pub(super) fn add(&mut self, parameter: Parameter, out: &mut Output<'_>) {
        let Parameter { name, is_string, mut raw, range } = parameter;
        if out.settings.entities == Entities::Decode {
            raw = entities::decode(raw);
        }
        let known = self.shape.as_ref().and_then(|shape| shape.wanted(&name));
        let wanted = match is_string {
            Some(true) => Wanted::STRING,
            Some(false) => known.unwrap_or(Wanted::ANY),
            None => known.unwrap_or(Wanted::STRING),
        };
        let (value, note) = type_text(raw, wanted, out.settings.repairs);
        if let Some(note) = note {
            self.note(&name, note, range.clone(), out);
        }
        if self.arguments.insert(name.as_str().to_owned(), value).is_some() {
            let message = format!("`{name}` is given more than once; the last one holds");
            out.problem(ProblemKind::RepeatedParameter, range, message);
        }
    }

    fn note(&self, name: &str, note: TypingNote, range: Range<usize>, out: &mut Output<'_>) {
        match note {
            TypingNote::Repaired(fixes) => {
                for fix in fixes {
                    let message = format!("in `{name}`, {}", fix.as_str());
                    out.problem(ProblemKind::Repaired, range.clone(), message);
                }
            }
            TypingNote::DoesNotFit => {
                let tool = &self.begun.name;
                let message = format!("`{name}` has not the type that `{tool}` wants; it stays text");
                out.problem(ProblemKind::UntypedValue, range, message);
            }
        }
    }

    /// Ends the call; it is all there.
    pub(super) fn finish(self, end: usize, out: &mut Output<'_>) {
        out.end(self.begun, Value::Object(self.arguments), CallState::Complete, end);
    }

    /// Ends the call because the text did.
    pub(super) fn cut_off(self, end: usize, out: &mut Output<'_>) {
        out.cut_off(self.begun, Value::Object(self.arguments), end);
    }
}
