//! YAML with positions: a small tree of our own, so that every complaint can say where.
//!
//! The text is read event by event, not by the library's recursive loader, so that depth is bounded
//! before the stack is. JSON is YAML too. Merge keys (`<<`) are ordinary keys, as in YAML 1.2.

mod builder;
mod node;
mod scalars;
mod tabs;
mod writer;

use std::fmt;

use saphyr::ScalarStyle;
use saphyr_parser::Parser;

use self::{builder::Builder, tabs::Tabs};
pub use self::{
    node::{Content, Entry, Node},
    writer::write,
};

/// The longest text that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// How much aliases may add to a document that others wrote, as nodes.
const MAX_FOREIGN_ALIASED: usize = 1_000_000;

/// How deep lists and maps may nest.
pub const MAX_DEPTH: usize = 64;

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

/// Reads every document of a text; a text without content has none.
///
/// ```
/// use toolsmith_definitions::yaml;
///
/// let documents = yaml::parse("name: echo\n").unwrap();
/// assert_eq!(documents[0].to_json(), serde_json::json!({"name": "echo"}));
/// ```
pub fn parse(text: &str) -> Result<Vec<Node>, YamlError> {
    let text = bounded(text, MAX_BYTES)?;
    with_surrogates(text, |text| parse_events(text, Builder::default(), Tabs::of(text)))
}

/// Reads the first document of a text that others wrote, which may be much longer.
///
/// Where its lines begin with tabs is not this project's business.
pub fn parse_foreign(text: &str, max_bytes: usize) -> Result<Node, YamlError> {
    let text = bounded(text, max_bytes)?;
    let documents = with_surrogates(text, |text| {
        parse_events(text, Builder::with_aliases(MAX_FOREIGN_ALIASED), Tabs::ignored())
    })?;
    let empty = || Node { value: Content::Null, line: 1, column: 1 };
    Ok(documents.into_iter().next().unwrap_or_else(empty))
}

fn bounded(text: &str, max_bytes: usize) -> Result<&str, YamlError> {
    if text.len() > max_bytes {
        let message = format!("the text is longer than {max_bytes} bytes");
        return Err(YamlError { line: 1, column: 1, message });
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// JSON writers escape characters beyond U+FFFF as surrogate pairs, which YAML does not know.
///
/// Joined only after a failure, so that a text that is valid as it stands is left alone.
fn with_surrogates<T>(
    text: &str,
    parse: impl Fn(&str) -> Result<T, YamlError>,
) -> Result<T, YamlError> {
    parse(text).or_else(|error| match scalars::join_surrogates(text) {
        Some(joined) => parse(&joined),
        None => Err(error),
    })
}

/// Reads one word as a plain value: `3` is a number, `true` is not a text.
pub fn scalar(text: &str) -> Node {
    let value = scalars::resolve(text, ScalarStyle::Plain, None)
        .unwrap_or_else(|_| Content::Text(text.to_owned()));
    Node { value, line: 1, column: 1 }
}

fn parse_events(
    text: &str,
    mut builder: Builder,
    mut tabs: Tabs<'_>,
) -> Result<Vec<Node>, YamlError> {
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let (line, column) = (error.marker().line(), error.marker().col() + 1);
            tabs.explain(line, column).unwrap_or_else(|| {
                let message = format!("this is not valid YAML: {}", error.info());
                YamlError { line, column, message }
            })
        })?;
        tabs.check(&event, span)?;
        builder.take(event, span)?;
    }
    Ok(builder.into_documents())
}

#[cfg(test)]
mod tests;
