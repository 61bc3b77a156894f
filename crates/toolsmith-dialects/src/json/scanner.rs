//! Finds the end of a JSON value in a stream.

/// Finds the end of one JSON value that arrives in pieces.
///
/// It looks at strings, escapes and brackets only, so near-JSON has an end too. Single quotes open
/// strings as well: outside a string JSON has none.
///
/// ```
/// let mut scanner = toolsmith_dialects::JsonScanner::default();
/// assert_eq!(scanner.feed(r#"{"a": "}"#), None);
/// assert_eq!(scanner.feed(r#""} and so on"#), Some(2));
/// ```
#[derive(Clone, Debug, Default)]
pub struct JsonScanner {
    depth: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Before the value.
    #[default]
    Before,
    /// Between brackets, outside a string.
    Between,
    /// In a string that this quote closes.
    String(u8),
    /// Behind a backslash in a string.
    Escape(u8),
    /// In a number or a word at the top.
    Bare,
    /// Behind the value.
    Over,
}

impl JsonScanner {
    /// Reads a piece; returns how many of its bytes belong to the value once that is over.
    ///
    /// White space before the value belongs to it. A number or a word at the top is over at the
    /// first byte that cannot belong to it, so it may need the end of the text to be over.
    pub fn feed(&mut self, piece: &str) -> Option<usize> {
        let bytes = piece.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if let State::String(quote) = self.state {
                let ahead = bytes.get(at..).unwrap_or_default();
                let skip = memchr::memchr2(quote, b'\\', ahead)?;
                at += skip;
                self.state = if bytes.get(at) == Some(&b'\\') {
                    State::Escape(quote)
                } else {
                    self.between()
                };
                at += 1;
            } else if self.step(byte) {
                at += 1;
            }
            if self.state == State::Over {
                return Some(at);
            }
        }
        None
    }

    /// Tells whether the value is in the middle of a string.
    pub fn is_in_string(&self) -> bool {
        matches!(self.state, State::String(_) | State::Escape(_))
    }

    /// Tells whether the value has begun.
    pub fn has_begun(&self) -> bool {
        self.state != State::Before
    }

    /// Takes in a byte outside a string; returns whether it belongs to the value.
    fn step(&mut self, byte: u8) -> bool {
        if let State::Escape(quote) = self.state {
            self.state = State::String(quote);
            return true;
        }
        match byte {
            b'"' | b'\'' if self.state != State::Bare => self.state = State::String(byte),
            b'{' | b'[' if self.state != State::Bare => {
                self.depth += 1;
                self.state = State::Between;
            }
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                self.state = self.between();
            }
            _ if self.state == State::Before && byte.is_ascii_whitespace() => {}
            _ if self.state == State::Before && is_bare(byte) => self.state = State::Bare,
            // What cannot begin a value is no part of one: the value is empty.
            _ if matches!(self.state, State::Before | State::Bare) && !is_bare(byte) => {
                self.state = State::Over;
                return false;
            }
            _ => {}
        }
        true
    }

    fn between(&self) -> State {
        if self.depth == 0 { State::Over } else { State::Between }
    }
}

fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value at the start of a text, found in pieces of one size.
    fn first(text: &str, size: usize) -> Option<usize> {
        let mut scanner = JsonScanner::default();
        let mut read = 0;
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            let piece: String = piece.iter().collect();
            if let Some(len) = scanner.feed(&piece) {
                return Some(read + len);
            }
            read += piece.len();
        }
        None
    }

    #[test]
    fn the_end_is_the_same_in_any_pieces() {
        for (text, value) in [
            (r#"{"a": [1, "]}", {"b": "\""}]} tail"#, Some(r#"{"a": [1, "]}", {"b": "\""}]}"#)),
            (r"{'it': '}'}x", Some(r"{'it': '}'}")),
            ("\"观星阁\\\\\"]", Some("\"观星阁\\\\\"")),
            (" 12.5, 3", Some(" 12.5")),
            ("true]", Some("true")),
            ("观", Some("")),
            (" , 1", Some(" ")),
            ("[1, 2", None),
            (r#""\"#, None),
        ] {
            for size in [1, 2, 3, 100] {
                assert_eq!(first(text, size), value.map(str::len), "{text} in {size}");
            }
        }
    }
}
