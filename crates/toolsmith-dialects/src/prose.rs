//! Prose around calls: passes text on until a call begins, and knows code fences and code spans.

use memchr::{memchr, memchr3, memrchr};

use crate::{
    Fences, ProblemKind,
    cursor::{Cursor, Look, More},
    output::Output,
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
    /// Any of these.
    AnyOf(&'static [u8]),
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
        Self { fence: None, run: None, indent: Some(0), span: Span::Outside }
    }
}

impl Prose {
    /// Passes text on until `look` says yes outside a fence, and stops in front of that.
    ///
    /// Returns `None` when the cursor ran out, or holds the undecided start of something.
    pub(crate) fn read<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        out: &mut Output<'_>,
        starts: Starts,
        look: impl Fn(&str, More) -> Look<T>,
    ) -> Option<T> {
        let (rest, start) = (cursor.rest(), cursor.offset());
        let (mut at, mut told) = (0, 0);
        let mut found = None;
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
            match look(ahead, cursor.more()) {
                Look::Undecided => break,
                Look::Yes(thing) if self.is_open(out.settings.fences) => {
                    found = Some(thing);
                    break;
                }
                Look::Yes(_) => {
                    // What stands before is told first: so it comes when it arrives in pieces.
                    out.text(cursor.take(at - told), start + told);
                    told = at;
                    self.note(start + at, out);
                }
                Look::No => {}
            }
            self.indent = None;
            self.span = self.span.further();
            at += 1;
        }
        out.text(cursor.take(at - told), start + told);
        found
    }

    /// Takes note of text that was read past this reader, such as a whole call.
    pub(crate) fn pass(&mut self, text: &str) {
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
            Self::AnyOf([one]) => memchr3(*one, b'`', b'~', text),
            Self::AnyOf(bytes) => text
                .iter()
                .position(|byte| matches!(byte, b'`' | b'~') || memchr(*byte, bytes).is_some()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Event, Parser, Settings, Tools};

    #[test]
    fn the_note_of_an_example_comes_behind_the_text_before_it_in_any_pieces() {
        for pieces in [&["~~~\n<invoke name=\"a\">"][..], &["~~~\n<in", "voke name=\"a\">"]] {
            let mut parser = Parser::new(Dialect::Auto, Tools::none(), Settings::default());
            let mut events: Vec<_> = pieces.iter().flat_map(|piece| parser.push(piece)).collect();
            events.extend(parser.finish());
            let [Event::Text { text, .. }, Event::Problem(_), ..] = &events[..] else {
                panic!("{events:?}");
            };
            assert_eq!(text, "~~~\n");
        }
    }
}
