//! Code in prose: fences, and spans of single backticks.

use memchr::memrchr;

use crate::{Fences, ProblemKind, output::Output};

/// The shortest run of backticks or tildes that opens a fence.
const SHORTEST_FENCE: usize = 3;

/// The deepest indent of a fence; deeper is an indented block.
const DEEPEST_INDENT: usize = 3;

/// Where the text stands with regard to code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
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

impl Default for Code {
    fn default() -> Self {
        Self { fence: None, run: None, indent: Some(0), span: Span::Outside }
    }
}

impl Code {
    /// Takes note of text without backticks and tildes, or of a whole call.
    pub(super) fn pass(&mut self, text: &str) {
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

    /// Takes note of a byte that opens nothing.
    pub(super) fn go_on(&mut self) {
        self.indent = None;
        self.span = self.span.further();
    }

    /// Tells whether the text stands in code.
    pub(super) fn is_inside(&self) -> bool {
        self.fence.is_some() || self.span != Span::Outside
    }

    /// Tells whether a call here is one, and no example.
    pub(super) fn is_open(&self, fences: Fences) -> bool {
        let is_example = matches!(self.span, Span::Opened | Span::Example);
        (self.fence.is_none() && !is_example) || fences == Fences::Calls
    }

    /// Meets a backtick or a tilde; returns how many bytes that reads.
    pub(super) fn meet(&mut self, byte: u8) -> usize {
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

    /// Reads on in a run of fence characters, if there is one; returns how many bytes that reads.
    pub(super) fn lengthen(&mut self, ahead: &str) -> Option<usize> {
        let mut run = self.run?;
        let len = ahead.bytes().take_while(|&byte| byte == run.byte).count();
        run.len += len;
        self.run = Some(run);
        if let Some(next) = ahead.as_bytes().get(len) {
            self.run = None;
            self.indent = None;
            self.settle(run, *next);
        }
        Some(len)
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
    pub(super) fn note(&mut self, at: usize, out: &mut Output<'_>) {
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
