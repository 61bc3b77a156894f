//! `toolsmith mcp`

use clap::{Args, ValueEnum};

/// Speaks MCP with the program that started it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith mcp --print-config claude     what to put into the configuration of a client
  toolsmith mcp                           what the client runs then
  toolsmith mcp --group files             the tools of one group

Messages go over standard input and output, one a line; the log goes to standard error.
The same is served over HTTP by `toolsmith serve`, at /mcp and /mcp/GROUP.")]
pub struct Mcp {
    /// Show the tools of this group alone
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// Print what to put into the configuration of this client, and end
    #[arg(long, value_name = "CLIENT")]
    pub print_config: Option<McpClient>,
}

/// A client whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum McpClient {
    /// Claude Desktop and Claude Code.
    Claude,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    Vscode,
}
