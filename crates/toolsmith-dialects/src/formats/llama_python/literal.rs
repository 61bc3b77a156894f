//! Reads and finds function calls with Python literals in them.

use serde_json::{Map, Number, Value};

/// The deepest nesting; a hostile text must not use up the stack.
const DEEPEST: usize = 128;

/// Finds the closing bracket of a call that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct PythonScanner {
    depth: usize,
    quote: Option<u8>,
    is_escaped: bool,
}

impl PythonScanner {
    /// Reads a piece; returns how many of its bytes belong to the call once that is over.
    pub(super) fn feed(&mut self, piece: &str) -> Option<usize> {
        for (at, byte) in piece.bytes().enumerate() {
            if let Some(quote) = self.quote {
                if self.is_escaped {
                    self.is_escaped = false;
                } else if byte == b'\\' {
                    self.is_escaped = true;
                } else if byte == quote {
                    self.quote = None;
                }
                continue;
            }
            match byte {
                b'"' | b'\'' => self.quote = Some(byte),
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// A call as it is written.
#[derive(Debug)]
pub(super) struct PythonCall<'a> {
    /// The tool.
    pub(super) name: &'a str,
    /// The arguments without names, which stand before the others.
    pub(super) positional: Vec<Value>,
    /// The arguments with names.
    pub(super) named: Map<String, Value>,
}

/// Reads `name(value, key=value, …)`; `None` when it is anything else.
pub(super) fn parse_call(text: &str) -> Option<PythonCall<'_>> {
    let (name, behind) = text.split_once('(')?;
    let mut reader = Reader { text: behind, at: 0 };
    let mut call = PythonCall { name, positional: Vec::new(), named: Map::new() };
    reader.skip_space();
    while reader.peek()? != b')' {
        if reader.take("**") {
            let Value::Object(fields) = reader.value(0)? else { return None };
            call.named.extend(fields);
        } else if let Some(key) = reader.key() {
            let value = reader.value(0)?;
            call.named.insert(key.to_owned(), value);
        } else if call.named.is_empty() {
            call.positional.push(reader.value(0)?);
        } else {
            return None;
        }
        reader.separate(b')')?;
    }
    reader.at += 1;
    reader.peek().is_none().then_some(call)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, literal: &str) -> bool {
        let is_there = self.rest().starts_with(literal);
        self.at += if is_there { literal.len() } else { 0 };
        is_there
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let stop = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.'));
        let len = rest.find(stop).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    /// Reads `key=`; stays where it is when something else stands there.
    fn key(&mut self) -> Option<&'a str> {
        let before = self.at;
        let key = self.word();
        self.skip_space();
        if key.is_empty() || !self.take("=") {
            self.at = before;
            return None;
        }
        self.skip_space();
        Some(key)
    }

    /// Goes behind a comma, or up to the closing bracket.
    fn separate(&mut self, closer: u8) -> Option<()> {
        self.skip_space();
        if self.take(",") {
            self.skip_space();
            return Some(());
        }
        (self.peek()? == closer).then_some(())
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match self.peek()? {
            b'[' => self.list(b']', depth),
            b'(' => self.list(b')', depth),
            b'{' => self.dictionary(depth),
            quote @ (b'"' | b'\'') => self.string(quote).map(Value::String),
            _ => self.bare(),
        }
    }

    fn list(&mut self, closer: u8, depth: usize) -> Option<Value> {
        let mut members = Vec::new();
        self.at += 1;
        self.skip_space();
        while self.peek()? != closer {
            members.push(self.value(depth + 1)?);
            self.separate(closer)?;
        }
        self.at += 1;
        Some(Value::Array(members))
    }

    fn dictionary(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        self.at += 1;
        self.skip_space();
        while self.peek()? != b'}' {
            let key = match self.value(depth + 1)? {
                Value::String(key) => key,
                Value::Number(key) => key.to_string(),
                _ => return None,
            };
            self.skip_space();
            if !self.take(":") {
                return None;
            }
            self.skip_space();
            let value = self.value(depth + 1)?;
            fields.insert(key, value);
            self.separate(b'}')?;
        }
        self.at += 1;
        Some(Value::Object(fields))
    }

    fn bare(&mut self) -> Option<Value> {
        match self.word() {
            "True" | "true" => Some(Value::Bool(true)),
            "False" | "false" => Some(Value::Bool(false)),
            "None" | "null" => Some(Value::Null),
            word => number(word).map(Value::Number),
        }
    }

    fn string(&mut self, quote: u8) -> Option<String> {
        let mut string = String::new();
        self.at += 1;
        loop {
            let rest = self.rest();
            let len = rest.bytes().position(|byte| byte == quote || byte == b'\\')?;
            string.push_str(rest.get(..len)?);
            self.at += len;
            if self.peek()? == quote {
                self.at += 1;
                return Some(string);
            }
            self.escape(&mut string)?;
        }
    }

    /// Reads an escape; one that Python does not know stands for itself.
    fn escape(&mut self, string: &mut String) -> Option<()> {
        let escaped = self.rest().chars().nth(1)?;
        self.at += 1 + escaped.len_utf8();
        match escaped {
            '\n' => {}
            '\\' | '\'' | '"' => string.push(escaped),
            'n' => string.push('\n'),
            't' => string.push('\t'),
            'r' => string.push('\r'),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            'x' => self.code(string, escaped, 2),
            'u' => self.code(string, escaped, 4),
            'U' => self.code(string, escaped, 8),
            other => string.extend(['\\', other]),
        }
        Some(())
    }

    /// Reads a character by its number; a pair of surrogates, as JSON writes it, is one character.
    fn code(&mut self, string: &mut String, kind: char, digits: usize) {
        let Some(code) = self.digits(digits) else {
            return string.extend(['\\', kind]);
        };
        self.at += digits;
        if let Some(c) = char::from_u32(code) {
            return string.push(c);
        }
        let before = self.at;
        let low = if self.take("\\u") { self.digits(4) } else { None };
        let units = [code, low.unwrap_or_default()].map(|unit| u16::try_from(unit).unwrap_or(0));
        match char::decode_utf16(units).next() {
            Some(Ok(c)) => {
                self.at += 4;
                string.push(c);
            }
            _ => {
                self.at = before;
                string.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }

    fn digits(&self, count: usize) -> Option<u32> {
        let digits = self.rest().get(..count)?;
        let are_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        are_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }
}

/// Reads a number as Python writes it: `1.` and `.5` and a plus sign are allowed.
fn number(word: &str) -> Option<Number> {
    if let Ok(number) = serde_json::from_str(word) {
        return Some(number);
    }
    let first = word.trim_start_matches(['-', '+']);
    if !first.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    word.parse().ok().and_then(Number::from_f64)
}
