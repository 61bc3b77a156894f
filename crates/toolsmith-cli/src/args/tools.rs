//! `toolsmith tools …`

use clap::Subcommand;

/// What to do with the tools.
#[derive(Debug, Subcommand)]
pub enum ToolsWord {
    /// List the tools.
    #[command(after_help = "\
Examples:
  toolsmith tools list
  toolsmith tools list --category file
  toolsmith tools list --json | jq -r '.tools[].name'")]
    List {
        /// Only tools of this category
        #[arg(long, value_name = "WORD")]
        category: Option<String>,
        /// Only tools with this tag; may be repeated, then all of them
        #[arg(long, value_name = "WORD")]
        tag: Vec<String>,
    },
    /// Show one tool: what it does and what it wants.
    #[command(after_help = "\
Examples:
  toolsmith tools show calculator
  toolsmith tools show calculator@^1 --json | jq .input_schema")]
    Show {
        /// The tool, with a version where it matters
        name: String,
    },
}
