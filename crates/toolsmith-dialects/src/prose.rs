//! Prose around calls: passes text on until a call begins; knows code and reasoning.

use memchr::{memchr3, memrchr};

use crate::{
    Dialect, Fences, ProblemKind, Thoughts,
    cursor::{Cursor, Look, More},
    formats::auto,
    output::Output,
    thought::{self, Thought, ThoughtTag},
};

/// The shortest run of backticks or tildes that opens a fence.
const SHORTEST_FENCE: usize = 3;

/// The deepest indent of a fence; deeper is an indented block.
const DEEPEST_INDENT: usize = 3;

/// The first bytes of what opens a call in a dialect; ASCII, and none that opens a fence.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Starts {
    /// Only `<`.
    Angle,
    /// Any of these, and `<`.
    AnyOf(&'static Bytes),
}

/// A set of bytes.
#[derive(Debug)]
pub(crate) struct Bytes([bool; 256]);

impl Bytes {
    /// Makes the set of some bytes and of those that open a fence or a tag of reasoning.
    pub(crate) const fn starts(bytes: &[u8]) -> Self {
        let mut set = [false; 256];
        set[b'`' as usize] = true;
        set[b'~' as usize] = true;
        set[b'<' as usize] = true;
        let mut at = 0;
        while at < bytes.len() {
            set[bytes[at] as usize] = true;
            at += 1;
        }
        Self(set)
    }

    fn has(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).is_some_and(|is_in| *is_in)
    }
}

/// Reads prose until a call begins.
#[derive(Clone, Debug)]
pub(crate) struct Prose {
    fence: Option<Fence>,
    /// A run of fence characters at the start of a line that has not ended yet.
    run: Option<Run>,
    /// How many spaces stand before this place, when only spaces do on this line.
    indent: Option<usize>,
    span: Span,
    /// The reasoning that the text stands in.
    thought: Option<Thought>,
    /// A tag of reasoning was met.
    has_thought: bool,
    /// Nothing was read yet.
    is_fresh: bool,
    /// The dialect whose prose this is, when calls of others are looked for as well.
    watched: Option<Dialect>,
    /// A call of another dialect is next.
    is_foreign: bool,
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

/// Where the text stands in a code span of single backticks, which does not go beyond its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Span {
    /// Outside.
    #[default]
    Outside,
    /// Right behind the backtick that opens it.
    Opened,
    /// Further inside.
    Inside,
    /// Behind a call that it opened with, so the whole of it is an example.
    Example,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    byte: u8,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Fence {
    run: Run,
    /// Still on the line that opened it: another backtick would make it a code span.
    is_opening: bool,
    /// A call in it has been noted.
    is_noted: bool,
}

impl Default for Prose {
    fn default() -> Self {
        Self {
            fence: None,
            run: None,
            indent: Some(0),
            span: Span::Outside,
            thought: None,
            has_thought: false,
            is_fresh: true,
            watched: None,
            is_foreign: false,
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
                Stop::At(Seen::Own(thing)) => return Some(thing),
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

    fn text<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        starts: Starts,
        look: &impl Fn(&str, More) -> Look<T>,
    ) -> Stop<T> {
        let (rest, start) = (cursor.rest(), cursor.offset());
        let mut at = 0;
        let mut stop = Stop::OutOfText;
        while let Some(ahead) = rest.get(at..).filter(|ahead| !ahead.is_empty()) {
            if self.run.is_some() {
                at += self.lengthen(ahead);
                continue;
            }
            let skip = starts.find(ahead.as_bytes()).unwrap_or(ahead.len());
            let (prose, ahead) = ahead.split_at(skip);
            self.pass(prose);
            at += skip;
            let Some(&byte) = ahead.as_bytes().first() else { break };
            if matches!(byte, b'`' | b'~') {
                at += self.meet(byte);
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
                Look::Yes(seen) if self.is_open(out.settings.fences) => {
                    stop = Stop::At(seen);
                    break;
                }
                Look::Yes(_) => self.note(start + at, out),
                Look::No => {}
            }
            self.indent = None;
            self.span = self.span.further();
            at += 1;
        }
        out.text(cursor.take(at), start);
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

    /// Looks for a tag of reasoning, where it is no text and not in code.
    fn look_tag(&self, ahead: &str, more: More, out: &Output<'_>) -> Look<ThoughtTag> {
        let is_code = self.fence.is_some() || self.span != Span::Outside;
        if is_code || out.settings.thoughts == Thoughts::Text {
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
                    only a setting keeps calls in it from being read";
                out.problem(ProblemKind::MissingStart, range.clone(), message);
                out.end_reasoning(range);
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
        let mut at = 0;
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
                    Look::Yes(_) => thought.note(start + at, out),
                    Look::Undecided => {
                        end = Look::Undecided;
                        break;
                    }
                }
            }
            at += 1;
        }
        let len = if end == Look::No { rest.len() } else { at };
        out.reasoning(cursor.take(len), start);
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

    /// Takes note of text that was read past this reader, such as a whole call.
    pub(crate) fn pass(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let line = match memrchr(b'\n', text.as_bytes()) {
            Some(newline) => {
                self.indent = Some(0);
                self.span = Span::Outside;
                if let Some(fence) = &mut self.fence {
                    fence.is_opening = false;
                }
                text.get(newline + 1..).unwrap_or_default()
            }
            None => text,
        };
        if !line.is_empty() {
            self.span = self.span.further();
        }
        self.indent = self
            .indent
            .map(|indent| indent + line.len())
            .filter(|&indent| indent <= DEEPEST_INDENT && line.bytes().all(|byte| byte == b' '));
    }

    fn is_open(&self, fences: Fences) -> bool {
        let is_example = matches!(self.span, Span::Opened | Span::Example);
        (self.fence.is_none() && !is_example) || fences == Fences::Calls
    }

    /// Meets a backtick or a tilde; returns how many bytes that reads.
    fn meet(&mut self, byte: u8) -> usize {
        if self.indent.is_some() {
            self.run = Some(Run { byte, len: 0 });
            return 0;
        }
        if byte == b'`' {
            self.fence = self.fence.filter(|fence| !fence.is_opening);
            self.span = self.span.after_tick();
        } else {
            self.span = self.span.further();
        }
        1
    }

    /// Reads on in a run of fence characters; returns how many bytes that reads.
    fn lengthen(&mut self, ahead: &str) -> usize {
        let Some(mut run) = self.run else { return 0 };
        let len = ahead.bytes().take_while(|&byte| byte == run.byte).count();
        run.len += len;
        self.run = Some(run);
        if let Some(next) = ahead.as_bytes().get(len) {
            self.run = None;
            self.indent = None;
            self.settle(run, *next);
        }
        len
    }

    /// Opens or closes a fence when a run of its characters is over.
    fn settle(&mut self, run: Run, next: u8) {
        if run.byte == b'`' && run.len == 1 {
            self.span = self.span.after_tick();
        }
        match self.fence {
            None if run.len >= SHORTEST_FENCE => {
                self.fence = Some(Fence { run, is_opening: run.byte == b'`', is_noted: false });
            }
            // A run with a word behind it opens another block of the same kind; it closes nothing.
            Some(fence)
                if fence.run.byte == run.byte
                    && run.len >= fence.run.len
                    && next.is_ascii_whitespace() =>
            {
                self.fence = None;
            }
            _ => {}
        }
    }

    /// Notes a call inside a fence or a span, once for each.
    fn note(&mut self, at: usize, out: &mut Output<'_>) {
        let is_noted = match &mut self.fence {
            Some(fence) => std::mem::replace(&mut fence.is_noted, true),
            None => std::mem::replace(&mut self.span, Span::Example) == Span::Example,
        };
        if is_noted {
            return;
        }
        let message = "a call inside code was taken for an example, so for text";
        out.problem(ProblemKind::FencedCall, at..at + 1, message);
    }
}

impl Span {
    fn after_tick(self) -> Self {
        if self == Self::Outside { Self::Opened } else { Self::Outside }
    }

    fn further(self) -> Self {
        if self == Self::Opened { Self::Inside } else { self }
    }
}

impl Starts {
    /// Finds the next byte that may open a call or a fence.
    fn find(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Angle => memchr3(b'<', b'`', b'~', text),
            Self::AnyOf(bytes) => text.iter().position(|&byte| bytes.has(byte)),
        }
    }
}
