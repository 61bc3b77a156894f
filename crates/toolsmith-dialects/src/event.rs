//! What a parser reports while it reads, in the order of the text.

use std::{borrow::Cow, ops::Range};

use crate::{ParsedCall, Problem};

/// One report of a parser.
///
/// Where a text is cut into pieces changes how `Text`, `Reasoning` and `Arguments` are cut, and
/// nothing else.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// Text that belongs to no call.
    Text {
        /// The text, to the byte.
        text: Cow<'a, str>,
        /// Where it stands in the whole input; in a server's answer, the JSON object that holds it.
        range: Range<usize>,
    },
    /// What the model thought aloud; no part of its answer.
    Reasoning {
        /// The text, without the tags around it.
        text: Cow<'a, str>,
        /// Where it stands in the whole input; in a server's answer, the JSON object that holds it.
        range: Range<usize>,
    },
    /// All text so far was reasoning: its end tag came, and its beginning stood in the prompt.
    ///
    /// Calls that ended before it were only thought of; a [`Reply`](crate::Reply) sets them aside.
    ReasoningEnd {
        /// Where the end tag stands in the whole input.
        range: Range<usize>,
    },
    /// A call begins; it may still turn out unfinished, so it must not be run yet.
    CallStart {
        /// The number of the call in this reply, from zero.
        index: usize,
        /// The identifier that the model or its server gave.
        id: Option<Cow<'a, str>>,
        /// The tool: as the model named it, or by its own name where it was shown under another.
        name: Cow<'a, str>,
    },
    /// More of the arguments, as the model writes them; for showing, not for reading.
    Arguments {
        /// The number of the call.
        index: usize,
        /// The parameter it belongs to, in formats that write them one by one.
        parameter: Option<Cow<'a, str>>,
        /// The text, to the byte.
        text: Cow<'a, str>,
    },
    /// A call is over; every `CallStart` gets one.
    CallEnd {
        /// The number of the call.
        index: usize,
        /// The call; run it only when it is complete.
        call: ParsedCall,
    },
    /// Something is odd.
    Problem(Problem),
}

impl Event<'_> {
    /// Returns an event that borrows nothing.
    pub fn into_owned(self) -> Event<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Text { text, range } => Event::Text { text: own(text), range },
            Self::Reasoning { text, range } => Event::Reasoning { text: own(text), range },
            Self::ReasoningEnd { range } => Event::ReasoningEnd { range },
            Self::CallStart { index, id, name } => {
                Event::CallStart { index, id: id.map(own), name: own(name) }
            }
            Self::Arguments { index, parameter, text } => {
                Event::Arguments { index, parameter: parameter.map(own), text: own(text) }
            }
            Self::CallEnd { index, call } => Event::CallEnd { index, call },
            Self::Problem(problem) => Event::Problem(problem),
        }
    }
}
