//! YAML with positions: a small tree of our own, so that every complaint can say where.
//!
//! The text is read event by event, not by the library's recursive loader, so that depth is bounded
//! before the stack is. JSON is YAML too. Merge keys (`<<`) are ordinary keys, as in YAML 1.2.

mod builder;
mod scalars;

use std::fmt;

use saphyr::ScalarStyle;
use saphyr_parser::Parser;
use serde_json::{Map, Number, Value};

use self::builder::Builder;

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// How deep lists and maps may nest.
pub const MAX_DEPTH: usize = 64;

/// A value and where it begins; lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Content,
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing: `null`, `~`, or no value at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the text; no key stands twice.
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key as it is written.
    pub key: String,
    /// The key's line.
    pub line: usize,
    /// The key's column.
    pub column: usize,
    /// The value.
    pub value: Node,
}

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for YamlError {}

impl Node {
    /// Makes a text that stands in no file.
    pub fn text(text: impl Into<String>) -> Self {
        Self { value: Content::Text(text.into()), line: 1, column: 1 }
    }

    /// Makes a list that stands in no file.
    pub fn list(items: Vec<Self>) -> Self {
        Self { value: Content::List(items), line: 1, column: 1 }
    }

    /// Returns the same value as JSON, without positions.
    pub fn to_json(&self) -> Value {
        match &self.value {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(number) => Value::Number(number.clone()),
            Content::Text(text) => Value::String(text.clone()),
            Content::List(items) => items.iter().map(Self::to_json).collect(),
            Content::Map(entries) => Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Names what kind of value it is, for messages about values that must not be shown.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Content::Null => "nothing",
            Content::Bool(_) => "true or false",
            Content::Number(_) => "a number",
            Content::Text(_) => "text",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
        }
    }

    /// Describes the value for a message: `the text "ten"`, `the number 3`, `a list`.
    pub fn describe(&self) -> String {
        match &self.value {
            Content::Bool(value) => format!("`{value}`"),
            Content::Number(number) => format!("the number {number}"),
            Content::Text(text) if text.chars().count() > 40 => {
                format!("the text {:?}…", text.chars().take(40).collect::<String>())
            }
            Content::Text(text) => format!("the text {text:?}"),
            Content::Null | Content::List(_) | Content::Map(_) => self.kind().to_owned(),
        }
    }
}

/// Reads every document of a text; a text without content has none.
///
/// ```
/// use toolsmith_cli::config::yaml;
///
/// let documents = yaml::parse("name: echo\n").unwrap();
/// assert_eq!(documents[0].to_json(), serde_json::json!({"name": "echo"}));
/// ```
pub fn parse(text: &str) -> Result<Vec<Node>, YamlError> {
    if text.len() > MAX_BYTES {
        let message = format!("the text is longer than {MAX_BYTES} bytes");
        return Err(YamlError { line: 1, column: 1, message });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    parse_events(text).or_else(|error| {
        // JSON writers escape characters beyond U+FFFF as surrogate pairs, which YAML does not know.
        // Joined only after a failure, so that a text that is valid as it stands is left alone.
        match scalars::join_surrogates(text) {
            Some(joined) => parse_events(&joined),
            None => Err(error),
        }
    })
}

/// Reads one word as a plain value: `3` is a number, `true` is not a text.
pub fn scalar(text: &str) -> Node {
    let value = scalars::resolve(text, ScalarStyle::Plain, None)
        .unwrap_or_else(|_| Content::Text(text.to_owned()));
    Node { value, line: 1, column: 1 }
}

fn parse_events(text: &str) -> Result<Vec<Node>, YamlError> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| YamlError {
            line: error.marker().line(),
            column: error.marker().col() + 1,
            message: format!("this is not valid YAML: {}", error.info()),
        })?;
        builder.take(event, span)?;
    }
    Ok(builder.into_documents())
}

#[cfg(test)]
mod tests;
