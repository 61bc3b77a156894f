//! Where a machine writes what it found.

use std::{borrow::Cow, ops::Range};

use serde_json::Value;
use toolsmith_core::Text;

use crate::{CallState, Event, ParsedCall, Problem, ProblemKind, Settings, Thoughts, Tools};

/// How many problems of one reply are listed; a hostile text must not make the list the larger.
const MOST_PROBLEMS: usize = 1_000;

/// What a parser has counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    calls: usize,
    problems: usize,
}

/// Where a machine writes what it found, and what it needs to know to find it.
pub(crate) struct Output<'a> {
    emit: &'a mut dyn FnMut(Event<'_>),
    counts: &'a mut Counts,
    /// The tools that the model was shown.
    pub(crate) tools: &'a Tools,
    /// How the reply is read.
    pub(crate) settings: &'a Settings,
}

/// A call that has begun.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    index: usize,
    id: Option<Text>,
    /// The tool by its own name, whatever it was shown as.
    pub(crate) name: Text,
    /// Where the call begins in the whole input.
    pub(crate) start: usize,
}

impl Begun {
    /// Adds the identifier of a call that names it behind the arguments.
    pub(crate) fn with_late_id(mut self, id: Option<&str>) -> Self {
        self.id = self.id.or_else(|| id.map(Text::from));
        self
    }
}

impl<'a> Output<'a> {
    pub(crate) fn new(
        emit: &'a mut dyn FnMut(Event<'_>),
        counts: &'a mut Counts,
        tools: &'a Tools,
        settings: &'a Settings,
    ) -> Self {
        Self { emit, counts, tools, settings }
    }

    /// Passes text on that belongs to no call; `start` is its place in the whole input.
    pub(crate) fn text(&mut self, text: &str, start: usize) {
        self.text_in(text, start..start + text.len());
    }

    /// Passes text on that is written with escapes somewhere in a range of the whole input.
    pub(crate) fn text_in(&mut self, text: &str, range: Range<usize>) {
        if !text.is_empty() {
            (self.emit)(Event::Text { text: Cow::Borrowed(text), range });
        }
    }

    /// Passes on what the model thought aloud; `start` is its place in the whole input.
    pub(crate) fn reasoning(&mut self, text: &str, start: usize) {
        self.reasoning_in(text, start..start + text.len());
    }

    /// Passes on thoughts that are written with escapes somewhere in a range of the whole input.
    pub(crate) fn reasoning_in(&mut self, text: &str, range: Range<usize>) {
        if self.settings.thoughts == Thoughts::Text {
            return self.text_in(text, range);
        }
        if !text.is_empty() {
            (self.emit)(Event::Reasoning { text: Cow::Borrowed(text), range });
        }
    }

    /// Says that all text before an end tag was reasoning.
    pub(crate) fn end_reasoning(&mut self, range: Range<usize>) {
        (self.emit)(Event::ReasoningEnd { range });
    }

    /// Notes that something is odd; what concerns whether a call is run is always listed.
    pub(crate) fn problem(
        &mut self,
        kind: ProblemKind,
        range: Range<usize>,
        message: impl Into<String>,
    ) {
        self.counts.problems += 1;
        let is_grave =
            matches!(kind, ProblemKind::UnfinishedCall | ProblemKind::UnreadableArguments);
        if self.counts.problems > MOST_PROBLEMS && !is_grave {
            return;
        }
        (self.emit)(Event::Problem(Problem { kind, message: message.into(), range }));
    }

    /// Begins a call; `name` is what the model wrote.
    pub(crate) fn begin(&mut self, name: &str, id: Option<&str>, start: usize) -> Begun {
        let name = self.tools.guise(name).map_or(name, |guise| guise.tool.as_str());
        let index = self.counts.calls;
        self.counts.calls += 1;
        (self.emit)(Event::CallStart {
            index,
            id: id.map(Cow::Borrowed),
            name: Cow::Borrowed(name),
        });
        Begun { index, id: id.map(Text::from), name: name.into(), start }
    }

    /// Streams more of a call's arguments.
    pub(crate) fn arguments(&mut self, call: &Begun, parameter: Option<&str>, text: &str) {
        if !text.is_empty() {
            let parameter = match self.tools.guise(&call.name) {
                None => parameter,
                Some(guise) => parameter.map(|name| guise.real_key(name)),
            };
            (self.emit)(Event::Arguments {
                index: call.index,
                parameter: parameter.map(Cow::Borrowed),
                text: Cow::Borrowed(text),
            });
        }
    }

    /// Ends a call; `end` is the place behind it in the whole input.
    pub(crate) fn end(&mut self, call: Begun, arguments: Value, state: CallState, end: usize) {
        let Begun { index, id, name, start } = call;
        let arguments = match self.tools.guise(&name) {
            None => arguments,
            Some(guise) => guise.real_arguments(arguments),
        };
        let call = ParsedCall { index, id, name, arguments, range: start..end, state };
        (self.emit)(Event::CallEnd { index, call });
    }

    /// Ends a call that was cut off, and says so.
    pub(crate) fn cut_off(&mut self, call: Begun, arguments: Value, end: usize) {
        self.problem(
            ProblemKind::UnfinishedCall,
            call.start..end,
            format!("the call of `{}` is not finished, so it is not to be run", call.name),
        );
        self.end(call, arguments, CallState::Unfinished, end);
    }
}
