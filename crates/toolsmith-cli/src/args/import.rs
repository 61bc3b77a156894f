//! `toolsmith import …`

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::PossibleValuesParser};

/// What to make tools of.
#[derive(Debug, Subcommand)]
pub enum ImportWord {
    /// Take over the MCP servers of another client.
    Mcp(ImportMcp),
}

/// The clients whose files are known.
const CLIENTS: [&str; 3] = ["claude", "cursor", "vscode"];

/// Takes over the MCP servers of another client.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import mcp --from claude
  toolsmith import mcp .vscode/mcp.json
  toolsmith import mcp --from cursor --json | jq -r .yaml

The servers are written to toolsmith.yaml; when there is one already, what to add to it is printed.
Values that look like secrets become variables of the environment: the end of the output names
them.")]
pub struct ImportMcp {
    /// The file; the usual places of the clients are looked at otherwise
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The client whose file is looked for
    #[arg(long, value_name = "CLIENT", value_parser = PossibleValuesParser::new(CLIENTS))]
    pub from: Option<String>,
}
