//! Repairs near-JSON, and says what it repaired.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::ProblemKind;

/// The deepest nesting, as deep as JSON itself is read: a hostile text must not use up the stack.
const DEEPEST: usize = 127;

/// One kind of repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fix {
    /// A comma before a closing bracket was dropped.
    TrailingComma,
    /// A comma between two members was added.
    MissingComma,
    /// Single quotes were taken for double ones.
    SingleQuotes,
    /// A closing bracket was added.
    MissingCloser,
    /// A closing bracket too many was dropped.
    ExtraCloser,
    /// A key without quotes was quoted.
    UnquotedKey,
    /// `True`, `False` or `None` of Python was translated.
    PythonLiteral,
    /// A line break or another control character in a string was escaped.
    RawControl,
    /// A backslash that escapes nothing was doubled.
    BadEscape,
    /// JSON inside a JSON string was unpacked.
    DoubleEncoded,
    /// White space that JSON does not know was passed over.
    OddSpace,
    /// A key is there twice; the last one holds.
    RepeatedKey,
}

impl Fix {
    /// Says in words what was done.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TrailingComma => "a trailing comma was dropped",
            Self::MissingComma => "a missing comma was added",
            Self::SingleQuotes => "single quotes were read as double quotes",
            Self::MissingCloser => "a missing closing bracket was added",
            Self::ExtraCloser => "a superfluous closing bracket was dropped",
            Self::UnquotedKey => "a key without quotes was quoted",
            Self::PythonLiteral => "a Python literal was translated",
            Self::RawControl => "a control character in a string was escaped",
            Self::BadEscape => "a backslash that escapes nothing was doubled",
            Self::DoubleEncoded => "JSON inside a JSON string was unpacked",
            Self::OddSpace => "white space that JSON does not know was passed over",
            Self::RepeatedKey => "a key is given more than once; the last one holds",
        }
    }

    /// Returns what kind of problem it is.
    pub(crate) fn kind(self) -> ProblemKind {
        match self {
            Self::RepeatedKey => ProblemKind::RepeatedParameter,
            _ => ProblemKind::Repaired,
        }
    }
}

/// A repaired value.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The value.
    pub value: Value,
    /// What was repaired, each kind once, in the order of the text; empty for plain JSON.
    pub fixes: Vec<Fix>,
}

/// Reads a text that is nearly one JSON value.
///
/// Returns `None` when it is not, and when a string is not closed: that text was cut off, and a
/// shorter string would be an invention.
///
/// ```
/// use toolsmith_dialects::{Fix, repair};
/// let repaired = repair("{'a': [1, 2,], ok: True").unwrap();
/// assert_eq!(repaired.value, serde_json::json!({"a": [1, 2], "ok": true}));
/// assert!(repaired.fixes.contains(&Fix::MissingCloser));
/// ```
pub fn repair(text: &str) -> Option<Repaired> {
    let mut reader = Reader { text, at: 0, fixes: Vec::new() };
    reader.skip_space();
    let value = reader.value(0)?;
    reader.skip_space();
    while matches!(reader.peek(), Some(b'}' | b']')) {
        reader.fix(Fix::ExtraCloser);
        reader.at += 1;
        reader.skip_space();
    }
    reader.peek().is_none().then_some(Repaired { value, fixes: reader.fixes })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    fixes: Vec<Fix>,
}

/// What stands behind a member of an array or an object.
enum Next {
    Member,
    Closed,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let len = rest.len() - rest.trim_start().len();
        let space = rest.get(..len).unwrap_or_default();
        if !space.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.fix(Fix::OddSpace);
        }
        self.at += len;
    }

    fn fix(&mut self, fix: Fix) {
        if !self.fixes.contains(&fix) {
            self.fixes.push(fix);
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            b'{' | b'[' if depth >= DEEPEST => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            quote @ (b'"' | b'\'') => self.string(quote).map(Value::String),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut fields = Map::new();
        self.at += 1;
        while let Next::Member = self.next(b'}', fields.is_empty())? {
            let key = self.key()?;
            self.skip_space();
            if self.peek()? != b':' {
                return None;
            }
            self.at += 1;
            self.skip_space();
            let value = self.value(depth + 1)?;
            if fields.insert(key, value).is_some() {
                self.fix(Fix::RepeatedKey);
            }
        }
        Some(Value::Object(fields))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let mut members = Vec::new();
        self.at += 1;
        while let Next::Member = self.next(b']', members.is_empty())? {
            members.push(self.value(depth + 1)?);
        }
        Some(Value::Array(members))
    }

    /// Goes to the next member, or behind the closing bracket.
    fn next(&mut self, closer: u8, is_first: bool) -> Option<Next> {
        self.skip_space();
        let has_comma = !is_first && self.peek() == Some(b',');
        if has_comma {
            self.at += 1;
            self.skip_space();
        }
        let closed = match self.peek() {
            Some(byte) if byte == closer => {
                self.at += 1;
                true
            }
            // The end of the text, or the bracket of something further out.
            None | Some(b'}' | b']') => {
                self.fix(Fix::MissingCloser);
                true
            }
            Some(b',') => return None,
            Some(_) => false,
        };
        if closed && has_comma {
            self.fix(Fix::TrailingComma);
        }
        if !closed && !has_comma && !is_first {
            // Behind a string, more text without a comma is more likely an unescaped quote.
            if !matches!(self.peek(), Some(b'"' | b'{' | b'[')) {
                return None;
            }
            self.fix(Fix::MissingComma);
        }
        Some(if closed { Next::Closed } else { Next::Member })
    }

    fn key(&mut self) -> Option<String> {
        if let Some(quote @ (b'"' | b'\'')) = self.peek() {
            return self.string(quote);
        }
        let word = self.word();
        if word.is_empty() {
            return None;
        }
        self.fix(Fix::UnquotedKey);
        Some(word.to_owned())
    }

    /// Reads letters, digits and what stands in numbers and names.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let len = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '$')))
            .unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn bare(&mut self) -> Option<Value> {
        let value = match self.word() {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            word => return serde_json::from_str(word).ok(),
        };
        self.fix(Fix::PythonLiteral);
        Some(value)
    }

    fn string(&mut self, quote: u8) -> Option<String> {
        if quote == b'\'' {
            self.fix(Fix::SingleQuotes);
        }
        self.at += 1;
        let mut string = String::new();
        loop {
            let rest = self.rest();
            let len =
                rest.bytes().position(|byte| byte == quote || byte == b'\\' || byte < b' ')?;
            string.push_str(rest.get(..len)?);
            self.at += len;
            match self.peek()? {
                b'\\' => self.escape(&mut string)?,
                byte if byte == quote => break,
                control => {
                    self.fix(Fix::RawControl);
                    string.push(char::from(control));
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Some(string)
    }

    fn escape(&mut self, string: &mut String) -> Option<()> {
        let escaped = self.rest().chars().nth(1)?;
        let plain = match escaped {
            '"' | '\\' | '/' => escaped,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' if self.unicode(string) => return Some(()),
            '\'' => {
                self.fix(Fix::SingleQuotes);
                '\''
            }
            _ => {
                self.fix(Fix::BadEscape);
                string.push('\\');
                self.at += 1;
                return Some(());
            }
        };
        string.push(plain);
        self.at += 1 + escaped.len_utf8();
        Some(())
    }

    /// Reads `\uXXXX`, or a pair of them; returns whether there is one.
    fn unicode(&mut self, string: &mut String) -> bool {
        let unit = |start: usize| {
            let rest = self.text.get(start..)?.strip_prefix("\\u")?;
            let digits =
                rest.get(..4).filter(|four| four.bytes().all(|b| b.is_ascii_hexdigit()))?;
            u16::from_str_radix(digits, 16).ok()
        };
        let Some(first) = unit(self.at) else { return false };
        let second = unit(self.at + 6);
        let mut decoded = char::decode_utf16([first].into_iter().chain(second));
        match decoded.next() {
            Some(Ok(c)) => {
                string.push(c);
                self.at += if c.len_utf16() == 2 { 12 } else { 6 };
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_of_near_json_is_repaired_and_named() {
        for (text, value, fix) in [
            (r#"{"a": 1,}"#, json!({"a": 1}), Fix::TrailingComma),
            (r#"{"a": "x" "b": 2}"#, json!({"a": "x", "b": 2}), Fix::MissingComma),
            ("{'a': 'it\\'s'}", json!({"a": "it's"}), Fix::SingleQuotes),
            (r#"{"a": [1, {"b": 2"#, json!({"a": [1, {"b": 2}]}), Fix::MissingCloser),
            (r#"{"a": [1, 2}"#, json!({"a": [1, 2]}), Fix::MissingCloser),
            (r#"{"a": 1}}"#, json!({"a": 1}), Fix::ExtraCloser),
            ("{a: 1, 键: 2}", json!({"a": 1, "键": 2}), Fix::UnquotedKey),
            (r#"{"a": True, "b": None}"#, json!({"a": true, "b": null}), Fix::PythonLiteral),
            ("{\"a\": \"x\ny\tz\"}", json!({"a": "x\ny\tz"}), Fix::RawControl),
            (r#"{"a": "C:\path \d+"}"#, json!({"a": r"C:\path \d+"}), Fix::BadEscape),
            ("{\u{a0}\"a\": 1}\u{b}", json!({"a": 1}), Fix::OddSpace),
        ] {
            let repaired = repair(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(repaired.value, value, "{text}");
            assert!(repaired.fixes.contains(&fix), "{text}: {:?}", repaired.fixes);
        }
    }

    #[test]
    fn plain_json_needs_no_repair() {
        let text = r#" {"a": ["\u00e9\ud83d\ude00\n", -1.5e3, true, null, {}], "b": []} "#;
        let repaired = repair(text).unwrap();
        assert_eq!(repaired.value, serde_json::from_str::<Value>(text).unwrap());
        assert!(repaired.fixes.is_empty());
    }

    #[test]
    fn what_cannot_be_read_without_guessing_is_refused() {
        for text in [
            "",
            r#"{"a": "cut of"#,
            r#"{"content": "He said "hi" to me"}"#,
            r#"{"a": ?}"#,
            r#"{"a""#,
            r#"{"a":"#,
            "{,}",
            "1 2",
        ] {
            assert_eq!(repair(text), None, "{text}");
        }
        assert_eq!(repair(&"[".repeat(100_000)), None);
    }

    #[test]
    fn what_is_repaired_is_no_deeper_than_json_may_be() {
        for depth in 120..135 {
            let text = "[".repeat(depth) + "1";
            let is_json =
                serde_json::from_str::<Value>(&(text.clone() + &"]".repeat(depth))).is_ok();
            assert_eq!(repair(&text).is_some(), is_json, "{depth}");
        }
    }
}
