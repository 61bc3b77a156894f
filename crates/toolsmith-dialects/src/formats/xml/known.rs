//! What is known of a call while it arrives: who is called, and the parameters so far.

use std::{borrow::Cow, ops::Range, sync::Arc};

use serde_json::{Map, Value};
use toolsmith_core::Text;

use super::entities;
use crate::{
    CallState, Entities, ProblemKind, Shape, TypingNote, Wanted,
    output::{Begun, Output},
    type_text,
};

/// How many parameters there is room for from the start.
const USUAL_PARAMETERS: usize = 7;

/// Parameters that no tool has and that models put all the others into.
const WRAPPERS: [&str; 2] = ["arguments", "input"];

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
pub(super) struct Parameter<'a> {
    pub(super) name: String,
    pub(super) wanted: Wanted,
    pub(super) raw: Cow<'a, str>,
    /// Where the value stands in the whole input.
    pub(super) range: Range<usize>,
}

impl Known {
    /// Begins a call of a tool; `name` is that of `begun`.
    pub(super) fn begin(
        name: &str,
        id: Option<&str>,
        prefix: &str,
        start: usize,
        out: &mut Output<'_>,
    ) -> Self {
        let begun = out.begin(name, id, start);
        let shape = out.tools.shape(name);
        let prefix = to_prefix(prefix);
        Self { begun, prefix, arguments: Map::with_capacity(USUAL_PARAMETERS), shape }
    }

    /// Tells whether a tag inside a value may be the next parameter, whose predecessor has no end.
    pub(super) fn may_take(&self, name: &str, current: &str) -> bool {
        name != current
            && !self.arguments.contains_key(name)
            && self.shape.as_ref().is_none_or(|shape| shape.names(name))
    }

    /// Returns the types of a parameter; `is_string` is what its attribute `string` says.
    ///
    /// Where the tool wants no string at all, the attribute is wrong and the schema right.
    pub(super) fn wanted(&self, name: &str, is_string: Option<bool>) -> Wanted {
        let known = self.shape.as_ref().and_then(|shape| shape.wanted(name));
        match is_string {
            Some(true) => {
                known.filter(|wanted| !wanted.has(Wanted::STRING)).unwrap_or(Wanted::STRING)
            }
            Some(false) => known.unwrap_or(Wanted::ANY),
            None => known.unwrap_or(Wanted::STRING),
        }
    }

    /// Tells whether a prefix is that of the call.
    pub(super) fn has_prefix(&self, prefix: &str) -> bool {
        is_same(&self.prefix, prefix)
    }

    /// Takes a parameter in.
    pub(super) fn add(&mut self, parameter: Parameter<'_>, out: &mut Output<'_>) {
        let Parameter { name, wanted, mut raw, range } = parameter;
        if out.settings.entities == Entities::Decode {
            raw = entities::decode(raw.into_owned()).into();
        }
        let (value, note) = type_text(raw, wanted, out.settings.repairs);
        if let Some(note) = note {
            self.note(&name, note, range.clone(), out);
        }
        let is_repeated = self.arguments.insert(name, value).is_some();
        if is_repeated {
            let message = "a parameter is given more than once; the last one holds";
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
                let message =
                    format!("`{name}` has not the type that `{tool}` wants; it stays text");
                out.problem(ProblemKind::UntypedValue, range, message);
            }
        }
    }

    /// Unpacks arguments that the model put into one parameter called `arguments` or `input`.
    fn unwrap(&mut self, end: usize, out: &mut Output<'_>) {
        let Some(shape) = self.shape.as_ref().filter(|_| self.arguments.len() == 1) else { return };
        let Some((name, value)) = self.arguments.iter().next() else { return };
        if !WRAPPERS.contains(&name.as_str()) || shape.wanted(name).is_some() {
            return;
        }
        let inner = match value {
            Value::Object(fields) => Some(fields.clone()),
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        if let Some(inner) = inner.filter(|inner| inner.keys().all(|key| shape.names(key))) {
            let message =
                format!("the arguments were inside a parameter `{name}`, and were unpacked");
            out.problem(ProblemKind::Repaired, self.begun.start..end, message);
            self.arguments = inner;
        }
    }

    /// Ends the call; it is all there.
    pub(super) fn finish(mut self, end: usize, out: &mut Output<'_>) {
        self.unwrap(end, out);
        out.end(self.begun, Value::Object(self.arguments), CallState::Complete, end);
    }

    /// Ends the call because the text did.
    pub(super) fn cut_off(self, end: usize, out: &mut Output<'_>) {
        out.cut_off(self.begun, Value::Object(self.arguments), end);
    }
}

/// Compares prefixes; nearly always both are empty.
pub(super) fn is_same(one: &Text, other: &str) -> bool {
    one.len() == other.len() && (other.is_empty() || one == other)
}

/// Keeps a prefix; nearly always there is none.
pub(super) fn to_prefix(prefix: &str) -> Text {
    if prefix.is_empty() { Text::default() } else { prefix.into() }
}
