//! Code in prose: fences, spans of backticks, and quoted lines, which hold examples too.

use memchr::memrchr;

use crate::{Fences, ProblemKind, output::Output};

/// The shortest run of backticks or tildes that opens a fence.
const SHORTEST_FENCE: usize = 3;

/// Where the text stands with regard to code.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Code {
    fence: Option<Fence>,
    /// A run of fence characters that has not ended yet.
    run: Option<Run>,
    line: Line,
    span: Span,
}

/// What stands before this place on its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    /// White space; how much does not matter, because a list may indent a fence by any.
    #[default]
    Blank,
    /// The mark of a member of a list, behind which a fence may open.
    Mark,
    /// Anything.
    Words,
    /// The line is quoted: all of it is what somebody else wrote.
    Quote,
}

/// Where the text stands in a code span of so many backticks, which does not go beyond its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Span {
    /// Outside.
    #[default]
    Outside,
    /// Right behind the backticks that open it.
    Opened(usize),
    /// Further inside.
    Inside(usize),
    /// Behind a call that it opened with, so the whole of it is an example.
    Example(usize),
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

impl Code {
    /// Takes note of text without backticks and tildes.
    pub(super) fn pass(&mut self, text: &str) {
        let line = self.pass_lines(text);
        for byte in line.bytes() {
            if matches!(self.line, Line::Words | Line::Quote) {
                return;
            }
            self.line = self.line.after(byte);
        }
    }

    /// Takes note of text that is no prose, such as a whole call; nothing in it is a quote.
    pub(super) fn pass_over(&mut self, text: &str) {
        if !self.pass_lines(text).trim_ascii().is_empty() {
            self.line = self.line.with_words();
        }
    }

    /// Takes note of a byte that opens nothing.
    pub(super) fn go_on(&mut self) {
        self.line = self.line.with_words();
        self.span = self.span.further();
    }

    /// Tells whether the text stands in code.
    pub(super) fn is_inside(&self) -> bool {
        self.fence.is_some() || self.span != Span::Outside
    }

    /// Tells whether a call here is one, and no example.
    pub(super) fn is_open(&self, fences: Fences) -> bool {
        let is_example = self.fence.is_some()
            || self.line == Line::Quote
            || matches!(self.span, Span::Opened(_) | Span::Example(_));
        !is_example || fences == Fences::Calls
    }

    /// Meets a backtick or a tilde, with which a run begins.
    pub(super) fn meet(&mut self, byte: u8) {
        self.run = Some(Run { byte, len: 0 });
    }

    /// Reads on in a run of fence characters, if there is one; returns how many bytes that reads.
    pub(super) fn lengthen(&mut self, ahead: &str) -> Option<usize> {
        let mut run = self.run?;
        let len = ahead.bytes().take_while(|&byte| byte == run.byte).count();
        run.len += len;
        self.run = Some(run);
        if let Some(next) = ahead.as_bytes().get(len) {
            self.run = None;
            self.settle(run, *next);
            self.line = self.line.with_words();
        }
        Some(len)
    }

    /// Opens or closes a fence or a span when a run of its characters is over.
    fn settle(&mut self, run: Run, next: u8) {
        let is_tick = run.byte == b'`';
        match self.fence {
            Some(fence) if fence.is_opening && is_tick => {
                self.fence = None;
                self.span = Span::Inside(fence.run.len).after_run(run.len);
            }
            // A run with a word behind it opens another block of the same kind; it closes nothing.
            Some(fence)
                if self.line == Line::Blank
                    && fence.run.byte == run.byte
                    && run.len >= fence.run.len
                    && next.is_ascii_whitespace() =>
            {
                self.fence = None;
            }
            Some(_) => {}
            None if matches!(self.line, Line::Blank | Line::Mark) && run.len >= SHORTEST_FENCE => {
                self.fence = Some(Fence { run, is_opening: is_tick, is_noted: false });
            }
            None if is_tick => self.span = self.span.after_run(run.len),
            None => self.span = self.span.further(),
        }
    }

    /// Takes note of line breaks in a text; returns what stands on its last line.
    fn pass_lines<'a>(&mut self, text: &'a str) -> &'a str {
        let line = match memrchr(b'\n', text.as_bytes()) {
            Some(newline) => {
                self.line = Line::Blank;
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
        line
    }

    /// Notes a call inside a fence, a span or a quoted line, once for each.
    pub(super) fn note(&mut self, at: usize, out: &mut Output<'_>) {
        let is_noted = match &mut self.fence {
            Some(fence) => std::mem::replace(&mut fence.is_noted, true),
            None => {
                let example = Span::Example(self.span.ticks());
                std::mem::replace(&mut self.span, example) == example
            }
        };
        if is_noted {
            return;
        }
        let message = "a call inside code or a quote was taken for an example, so for text";
        out.problem(ProblemKind::FencedCall, at..at + 1, message);
    }
}

impl Line {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Blank, b' ' | b'\t' | b'\r') => Self::Blank,
            (Self::Blank, b'>') => Self::Quote,
            (Self::Blank, b'-' | b'*' | b'+' | b'0'..=b'9')
            | (Self::Mark, b'0'..=b'9' | b'.' | b')' | b' ' | b'\t') => Self::Mark,
            _ => self.with_words(),
        }
    }

    fn with_words(self) -> Self {
        if self == Self::Quote { self } else { Self::Words }
    }
}

impl Span {
    /// Goes on behind a run of backticks; one of another length opens a span of its own.
    fn after_run(self, len: usize) -> Self {
        if self != Self::Outside && self.ticks() == len { Self::Outside } else { Self::Opened(len) }
    }

    fn further(self) -> Self {
        match self {
            Self::Opened(len) => Self::Inside(len),
            other => other,
        }
    }

    fn ticks(self) -> usize {
        match self {
            Self::Outside => 0,
            Self::Opened(len) | Self::Inside(len) | Self::Example(len) => len,
        }
    }
}
