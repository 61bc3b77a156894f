//! What stands on a line of a server's answer outside its JSON objects.

use crate::{ProblemKind, output::Output};

/// How much of a line is kept to tell what it is; a longer one is told by its start.
const LONGEST: usize = 4_096;

/// The fields of an event of a stream, but for its data; the last one is a comment.
pub(crate) const FIELDS: [&str; 4] = ["event:", "id:", "retry:", ":"];

/// A line as it arrives: framing that is passed over, or text.
#[derive(Debug, Default)]
pub(crate) struct Line {
    text: String,
    start: usize,
    fate: Fate,
}

/// What a line is known to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    /// Its end, or enough of it, will tell.
    #[default]
    Open,
    /// Text, to its end.
    Text,
    /// A field of an event, to its end.
    Field,
}

impl Line {
    /// Takes more of the line in; `offset` is its place in the whole input.
    pub(crate) fn add(&mut self, piece: &str, offset: usize, out: &mut Output<'_>) {
        let mut read = 0;
        while let Some(rest) = piece.get(read..).filter(|rest| !rest.is_empty()) {
            let start = offset + read;
            let len = match self.fate {
                Fate::Open => self.keep(rest, start, out),
                Fate::Text => {
                    out.text(rest, start);
                    rest.len()
                }
                Fate::Field => rest.len(),
            };
            read += len;
        }
    }

    /// Ends the line.
    pub(crate) fn leave(&mut self, out: &mut Output<'_>) {
        let line = std::mem::take(self);
        if line.fate == Fate::Open && !is_field(&line.text) && !is_frame(&line.text) {
            line.tell(out);
        }
    }

    /// Keeps what may still be anything; returns how much that was.
    fn keep(&mut self, rest: &str, start: usize, out: &mut Output<'_>) -> usize {
        if self.text.is_empty() {
            self.start = start;
        }
        // The place depends on the line alone, so that no cut of the input changes it.
        let len = rest.ceil_char_boundary(LONGEST.saturating_sub(self.text.len()));
        self.text.push_str(rest.get(..len).unwrap_or(rest));
        if self.text.len() >= LONGEST {
            if is_field(&self.text) {
                self.fate = Fate::Field;
            } else if !is_frame(&self.text) {
                self.fate = Fate::Text;
                self.tell(out);
            }
            self.text.clear();
        }
        len
    }

    fn tell(&self, out: &mut Output<'_>) {
        let range = self.start..self.start + self.text.len();
        let message = "this is neither JSON nor an event of a stream; it was taken for text";
        out.problem(ProblemKind::MalformedInput, range, message);
        out.text(&self.text, self.start);
    }
}

fn is_field(line: &str) -> bool {
    let line = line.trim_start();
    FIELDS.iter().any(|field| line.starts_with(field))
}

/// Tells whether a line is what stands around objects: brackets of a list, the name of the data.
fn is_frame(line: &str) -> bool {
    let line = line.trim();
    let is_list = |text: &str| text.bytes().all(|byte| matches!(byte, b'[' | b']' | b',' | b' '));
    match line.strip_prefix("data:") {
        Some(payload) => is_list(payload) || payload.trim() == "[DONE]",
        None => is_list(line),
    }
}
