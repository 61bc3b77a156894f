//! The parsers we compare with, behind one face.

#[cfg(feature = "peers")]
mod dynamo;
#[cfg(feature = "peers")]
mod tool_parser;

use std::fmt;

use serde_json::Value;

use crate::cases::{Definition, Format};

/// What a parser made of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<(String, Value)>,
}

/// A parser of one format.
pub(crate) trait Reader {
    /// Reads a whole text; the error says what the parser said.
    fn whole(&mut self, text: &str) -> Result<Answer, String>;

    /// Reads a text piece by piece; returns how many calls were begun.
    fn stream(&mut self, pieces: &[&str]) -> Result<usize, String>;
}

/// Another parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Peer {
    /// The crate `dynamo-parsers-v2`.
    Dynamo,
    /// The crate `tool-parser`.
    ToolParser,
}

impl Peer {
    pub(crate) const ALL: [Self; 2] = [Self::Dynamo, Self::ToolParser];

    /// Makes the peer's reader of a format; `None` when it has none.
    #[cfg(feature = "peers")]
    pub(crate) fn reader(self, format: &Format, tools: &[Definition]) -> Option<Box<dyn Reader>> {
        match self {
            Self::Dynamo => Some(Box::new(dynamo::Dynamo::new(format.dynamo?, tools))),
            Self::ToolParser => {
                let parser = tool_parser::ToolParser::new(format.tool_parser?, tools)?;
                Some(Box::new(parser))
            }
        }
    }

    /// Makes no reader: this program was built without the peers.
    #[cfg(not(feature = "peers"))]
    pub(crate) fn reader(self, format: &Format, _tools: &[Definition]) -> Option<Box<dyn Reader>> {
        let _named = match self {
            Self::Dynamo => format.dynamo,
            Self::ToolParser => format.tool_parser,
        };
        None
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dynamo => "dynamo-parsers-v2",
            Self::ToolParser => "tool-parser",
        })
    }
}

/// Reads the arguments that a peer hands over as text; what is no JSON stays that text.
#[cfg(feature = "peers")]
fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}
