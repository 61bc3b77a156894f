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
    /// Problems have been left out of the list.
    is_cut_short: bool,
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
        if self.counts.problems <= MOST_PROBLEMS || is_grave(kind) {
            let message = message.into();
            return (self.emit)(Event::Problem(Problem { kind, message, range }));
        }
        if !std::mem::replace(&mut self.counts.is_cut_short, true) {
            let message = "there are more problems from here on than are listed".to_owned();
            let kind = ProblemKind::Unlisted;
            (self.emit)(Event::Problem(Problem { kind, message, range }));
        }
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
        let (arguments, are_repeated) = match self.tools.guise(&name) {
            None => (arguments, false),
            Some(guise) => guise.real_arguments(arguments),
        };
        if are_repeated {
            let message = "a parameter is given under both of its names; the last one holds";
            self.problem(ProblemKind::RepeatedParameter, start..end, message);
        }
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

/// Tells whether a problem says that a call is not run.
fn is_grave(kind: ProblemKind) -> bool {
    use ProblemKind::{NamelessCall, UnfinishedCall, UnreadableArguments};
    matches!(kind, NamelessCall | UnfinishedCall | UnreadableArguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Reply, parse};

    fn kinds(reply: &Reply) -> Vec<ProblemKind> {
        reply.problems.iter().map(|problem| problem.kind).collect()
    }

    #[test]
    fn the_list_of_problems_says_where_it_stops() {
        let text = "</invoke>\n".repeat(MOST_PROBLEMS + 5);
        let reply = parse(Dialect::Xml, &text, &Tools::none(), &Settings::default());
        assert_eq!(reply.problems.len(), MOST_PROBLEMS + 1);
        assert_eq!(kinds(&reply).last(), Some(&ProblemKind::Unlisted));
        let text = "</invoke>\n".repeat(MOST_PROBLEMS);
        let reply = parse(Dialect::Xml, &text, &Tools::none(), &Settings::default());
        assert!(!kinds(&reply).contains(&ProblemKind::Unlisted));
    }

    #[test]
    fn a_call_that_is_left_out_is_always_listed() {
        let one = "<|tool_call_begin|>add<|tool_call_end|>";
        let text = one.repeat(MOST_PROBLEMS + 5);
        let reply = parse(Dialect::Kimi, &text, &Tools::none(), &Settings::default());
        let nameless = kinds(&reply).into_iter().filter(|kind| *kind == ProblemKind::NamelessCall);
        assert_eq!(nameless.count(), MOST_PROBLEMS + 5);
    }
}
