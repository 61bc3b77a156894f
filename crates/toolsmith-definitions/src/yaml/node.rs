//! A value of YAML that knows where it stands.

use serde_json::{Map, Number, Value};

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

impl Node {
    /// Makes a text that stands in no file.
    pub fn text(text: impl Into<String>) -> Self {
        Self { value: Content::Text(text.into()), line: 1, column: 1 }
    }

    /// Makes a list that stands in no file.
    pub fn list(items: Vec<Self>) -> Self {
        Self { value: Content::List(items), line: 1, column: 1 }
    }

    /// Returns the entry of a key; nothing when this is no map.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        let Content::Map(entries) = &self.value else { return None };
        entries.iter().find(|entry| entry.key == key)
    }

    /// Returns the text; nothing when this is no text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Content::Text(text) => Some(text),
            _ => None,
        }
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
        toolsmith_core::describe(&self.to_json())
    }
}
