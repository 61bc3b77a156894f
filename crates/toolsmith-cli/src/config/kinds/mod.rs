//! What a key may hold: each kind reads a node, shows a value and says what it expects.

mod collections;
mod filled;
mod numbers;
mod rate;
mod record;
mod slot;
mod words;

use serde_json::Value;
use toolsmith_core::suggestion;

pub(super) use self::{
    collections::{ListOf, MapOf, Named, OneOrMany, Optional},
    numbers::{Age, Count, Milliseconds, Seconds},
    rate::Rate,
    record::{Field, Record},
    slot::{Slot, bind},
    words::{Choice, Hidden, LogFilter, Switch, Text, Word},
};
pub use self::{numbers::parse_age, rate::CallsInTime};
use super::{Environment, Template, yaml::Node};

/// A kind of value.
pub(super) trait Kind {
    /// The plain type that it fills.
    type Output;

    /// Reads a node, or says everything that is wrong with it.
    ///
    /// Words and numbers are filled in from the environment; text remembers its variables.
    fn read(&self, node: &Node, environment: &Environment) -> Result<Self::Output, Vec<Fault>>;

    /// Shows a value as JSON, secrets as `***`.
    fn show(&self, value: &Self::Output) -> Value;

    /// Says what is expected, to follow the word "expected".
    fn expects(&self) -> String;

    /// Says how it is written in a variable of the environment.
    fn shape(&self) -> Shape {
        Shape::Scalar
    }

    /// Returns the templates inside a value.
    fn templates(&self, _value: &Self::Output) -> Vec<Template> {
        Vec::new()
    }
}

/// How a value is written in a variable of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// As it is.
    Text,
    /// As a plain word of YAML: a number, `true`, a word.
    Scalar,
    /// As JSON.
    Json,
    /// As it is, or as a JSON list.
    TextOrJson,
}

/// What is wrong with a part of a value.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    /// The part, to be put after the key: `[2].url`.
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn at(node: &Node, message: impl Into<String>) -> Self {
        let (line, column) = (node.line, node.column);
        Self { path: String::new(), line, column, message: message.into() }
    }

    fn under(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }
}

/// The fault of a node that is not what its kind expects.
fn mismatch(kind: &impl Kind, node: &Node) -> Vec<Fault> {
    let (expects, found) = (kind.expects(), node.describe());
    vec![Fault::at(node, format!("expected {expects}, found {found}"))]
}

/// Joins words to "`a`, `b` or `c`".
fn alternatives(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Puts a question about a near word behind a sentence.
pub(super) fn with_suggestion<'a>(
    sentence: String,
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    match suggestion(word, candidates) {
        Some(question) => format!("{sentence}. {question}"),
        None => sentence,
    }
}
