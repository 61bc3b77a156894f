//! Passes text on until a call begins.

use super::{
    code::Code,
    starts::Starts,
    thought::{self, Thought, ThoughtTag},
};
use crate::{
    Dialect, ProblemKind, Thoughts,
    cursor::{Cursor, Look, More},
    formats::auto,
    output::Output,
};

/// The farthest that any dialect looks ahead; a longer text leaves nothing undecided.
const FARTHEST_LOOK: usize = 1_024;

/// Reads prose until a call begins.
#[derive(Clone, Debug)]
pub(crate) struct Prose {
    code: Code,
    /// The reasoning that the text stands in.
    thought: Option<Thought>,
    /// A tag of reasoning was met.
    has_thought: bool,
    /// Nothing was read yet.
    is_fresh: bool,
    said: Said,
    /// The dialect whose prose this is, when calls of others are looked for as well.
    watched: Option<Dialect>,
    /// A call of another dialect is next.
    is_foreign: bool,
    tail: Tail,
}

/// Whether calls can still begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// They can.
    Open,
    /// The input ends inside what may open a call, and this stands in it.
    CutOff,
}

/// What the answer has said so far, calls and reasoning aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    /// Nothing but white space.
    Nothing,
    /// More than that.
    Words,
}

/// What ended a run of text.
enum Stop<T> {
    OutOfText,
    At(Seen<T>),
    Tag(ThoughtTag),
}

/// Whose call is next.
enum Seen<T> {
    Own(T),
    Foreign,
}

impl Default for Prose {
    fn default() -> Self {
        Self {
            code: Code::default(),
            thought: None,
            has_thought: false,
            is_fresh: true,
            said: Said::Nothing,
            watched: None,
            is_foreign: false,
            tail: Tail::Open,
        }
    }
}

impl Prose {
    /// Passes text on until `look` says yes outside a fence, and stops in front of that.
    ///
    /// Reasoning is passed on as such, and nothing in it is a call. Returns `None` when the cursor
    /// ran out, or holds the undecided start of something.
    pub(crate) fn read<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        starts: Starts,
        look: impl Fn(&str, More) -> Look<T>,
    ) -> Option<T> {
        if std::mem::take(&mut self.is_fresh) && out.settings.thoughts == Thoughts::Begun {
            self.thought = Some(Thought::begun());
        }
        let starts = if self.watched.is_some() { auto::STARTS } else { starts };
        loop {
            if self.thought.is_some() && !self.think(cursor, out, starts, &look) {
                return None;
            }
            match self.text(cursor, out, starts, &look) {
                Stop::OutOfText => return None,
                Stop::At(Seen::Own(thing)) => {
                    self.code.go_on();
                    return Some(thing);
                }
                Stop::At(Seen::Foreign) => {
                    self.is_foreign = true;
                    return None;
                }
                Stop::Tag(tag) => self.meet_tag(tag, cursor, out),
            }
        }
    }

    /// Stops in front of calls of other dialects than this one too.
    pub(crate) fn watch(&mut self, own: Dialect) {
        self.watched = Some(own);
    }

    /// Gives the reader up when it stands in front of a call of another dialect.
    pub(crate) fn hand_over(&mut self) -> Option<Self> {
        if !std::mem::take(&mut self.is_foreign) {
            return None;
        }
        Some(Self { watched: None, ..std::mem::take(self) })
    }

    /// Takes note of text that was read past this reader, such as a whole call.
    pub(crate) fn pass(&mut self, text: &str) {
        self.code.pass_over(text);
    }

    /// Passes text on that a reader held, and that turned out to be no part of a call.
    pub(crate) fn give_back(&mut self, text: &str, start: usize, out: &mut Output<'_>) {
        self.code.pass(text);
        self.tell(text, start, out);
    }

    /// Tells whether the answer has text so far, reasoning and white space aside.
    pub(crate) fn has_words(&self) -> bool {
        self.said == Said::Words
    }

    fn tell(&mut self, text: &str, start: usize, out: &mut Output<'_>) {
        if self.said == Said::Nothing && !text.trim_ascii_start().is_empty() {
            self.said = Said::Words;
        }
        out.text(text, start);
    }

    /// Passes text on up to a call or a tag of reasoning.
    fn text<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        starts: Starts,
        look: &impl Fn(&str, More) -> Look<T>,
    ) -> Stop<T> {
        let (rest, start) = (cursor.rest(), cursor.offset());
        let (mut at, mut told) = (0, 0);
        let mut stop = Stop::OutOfText;
        while let Some(ahead) = rest.get(at..).filter(|ahead| !ahead.is_empty()) {
            if let Some(len) = self.code.lengthen(ahead) {
                at += len;
                continue;
            }
            let skip = starts.find(ahead.as_bytes()).unwrap_or(ahead.len());
            let (prose, ahead) = ahead.split_at(skip);
            self.code.pass(prose);
            at += skip;
            let Some(&byte) = ahead.as_bytes().first() else { break };
            if matches!(byte, b'`' | b'~') {
                self.code.meet(byte);
                continue;
            }
            match self.look_tag(ahead, cursor.more(), out) {
                Look::Undecided => break,
                Look::Yes(tag) => {
                    stop = Stop::Tag(tag);
                    break;
                }
                Look::No => {}
            }
            match self.look(ahead, cursor.more(), look) {
                Look::Undecided => break,
                Look::Yes(seen) if self.is_open(out) => {
                    stop = Stop::At(seen);
                    break;
                }
                Look::Yes(_) => {
                    // What stands before is told first: so it comes when it arrives in pieces.
                    self.tell(cursor.take(at - told), start + told, out);
                    told = at;
                    self.note(start + at, out);
                }
                Look::No if self.is_open(out) && self.is_cut_off(ahead, cursor, look) => {
                    self.tail = Tail::CutOff;
                }
                Look::No => {}
            }
            self.code.go_on();
            at += 1;
        }
        self.tell(cursor.take(at - told), start + told, out);
        stop
    }

    /// Looks for a call, of another dialect first: what opens one is more exact there.
    fn look<T>(
        &self,
        ahead: &str,
        more: More,
        look: &impl Fn(&str, More) -> Look<T>,
    ) -> Look<Seen<T>> {
        if let Some(own) = self.watched {
            match auto::look(ahead, more) {
                Look::Undecided => return Look::Undecided,
                Look::Yes(fits) if !fits.contains(&own) => return Look::Yes(Seen::Foreign),
                Look::Yes(_) | Look::No => {}
            }
        }
        look(ahead, more).map(Seen::Own)
    }

    /// Tells whether a call here is one.
    fn is_open(&self, out: &Output<'_>) -> bool {
        self.tail == Tail::Open && self.code.is_open(out.settings.fences)
    }

    /// Tells whether the end of the input alone keeps a text from opening a call.
    ///
    /// What stands behind is then no call either: a longer text may read it as a part of this one.
    fn is_cut_off<T>(
        &self,
        ahead: &str,
        cursor: &Cursor<'_>,
        look: &impl Fn(&str, More) -> Look<T>,
    ) -> bool {
        cursor.is_last()
            && ahead.len() <= FARTHEST_LOOK
            && matches!(self.look(ahead, More::MayCome, look), Look::Undecided)
    }

    /// Notes a call that is not read as one, because of where it stands.
    fn note(&mut self, at: usize, out: &mut Output<'_>) {
        if self.tail == Tail::Open {
            return self.code.note(at, out);
        }
        let message = "the text ends inside what may open a call; this call in it is text";
        out.problem(ProblemKind::UnfinishedCall, at..at + 1, message);
    }

    /// Looks for a tag of reasoning, where it is no text and not in code.
    fn look_tag(&self, ahead: &str, more: More, out: &Output<'_>) -> Look<ThoughtTag> {
        if self.code.is_inside() || out.settings.thoughts == Thoughts::Text {
            return Look::No;
        }
        thought::look_tag(ahead, more)
    }

    fn meet_tag(&mut self, tag: ThoughtTag, cursor: &mut Cursor<'_>, out: &mut Output<'_>) {
        let range = cursor.range(tag.len());
        let text = cursor.take(tag.len());
        self.pass(text);
        let has_thought = std::mem::replace(&mut self.has_thought, true);
        match tag {
            ThoughtTag::Open(which) => self.thought = Some(Thought::opened(which)),
            ThoughtTag::Close(_) if has_thought => {
                let message = "an end tag of reasoning without its beginning was left in the text";
                out.problem(ProblemKind::StrayTag, range.clone(), message);
                out.text(text, range.start);
            }
            // Many templates open the reasoning in the prompt.
            ThoughtTag::Close(_) => {
                let message = "the text before this end tag is reasoning that the prompt opened; \
                    calls in it were only thought of";
                out.problem(ProblemKind::MissingStart, range.clone(), message);
                out.end_reasoning(range);
                self.said = Said::Nothing;
            }
        }
    }

    /// Passes reasoning on up to its end tag; says whether that came.
    fn think<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        starts: Starts,
        look: &impl Fn(&str, More) -> Look<T>,
    ) -> bool {
        let Some(mut thought) = self.thought.take() else { return true };
        let (rest, start) = (cursor.rest(), cursor.offset());
        let (mut at, mut told) = (0, 0);
        let mut end = Look::No;
        while let Some(skip) = starts.find(rest.as_bytes().get(at..).unwrap_or_default()) {
            at += skip;
            let ahead = rest.get(at..).unwrap_or_default();
            end = thought.look_end(ahead, cursor.more());
            if end != Look::No {
                break;
            }
            if !thought.is_noted && !ahead.starts_with(['`', '~']) {
                match self.look(ahead, cursor.more(), look) {
                    Look::No => {}
                    Look::Yes(_) => {
                        out.reasoning(cursor.take(at - told), start + told);
                        told = at;
                        thought.note(start + at, out);
                    }
                    Look::Undecided => {
                        end = Look::Undecided;
                        break;
                    }
                }
            }
            at += 1;
        }
        let len = if end == Look::No { rest.len() } else { at };
        out.reasoning(cursor.take(len - told), start + told);
        if let Look::Yes(len) = end {
            self.has_thought = true;
            self.pass(cursor.take(len));
            return true;
        }
        if cursor.is_last() {
            let message = "the reasoning has no end; nothing in it was read as a call";
            out.problem(ProblemKind::MissingEnd, cursor.range(0), message);
        } else {
            self.thought = Some(thought);
        }
        false
    }
}
