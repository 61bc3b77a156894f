//! `toolsmith tools …`

use clap::{Subcommand, builder::PossibleValuesParser};

/// Every kind of tool.
const KINDS: [&str; 10] = [
    "stateless",
    "stateful",
    "rest",
    "mcp",
    "command",
    "process",
    "container",
    "remote",
    "javascript",
    "pipeline",
];

/// What to do with the tools.
#[derive(Debug, Subcommand)]
pub enum ToolsWord {
    /// List the tools.
    #[command(after_help = "\
Examples:
  toolsmith tools list
  toolsmith tools list --category data
  toolsmith tools list --json | jq -r '.tools[].name'")]
    List {
        /// Only tools of this category
        #[arg(long, value_name = "WORD")]
        category: Option<String>,
        /// Only tools with this tag; may be repeated, then all of them
        #[arg(long, value_name = "WORD")]
        tag: Vec<String>,
        /// Only tools of this kind
        #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
        kind: Option<String>,
    },
    /// Show one tool: what it does and what it wants.
    #[command(after_help = "\
Examples:
  toolsmith tools show calculator
  toolsmith tools show calculator@^1 --json | jq .input_schema")]
    Show {
        /// The tool, with a version where it matters: NAME, NAME@1.2.0, NAME@^1
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{Kind, Value};

    use super::*;

    #[test]
    fn every_word_is_a_kind() {
        for word in KINDS {
            let kind: Kind = serde_json::from_value(Value::from(word)).unwrap();
            assert_eq!(kind.as_str(), word);
        }
    }
}
