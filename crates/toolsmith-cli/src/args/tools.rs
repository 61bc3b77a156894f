//! `toolsmith tools …`

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::PossibleValuesParser};
use toolsmith_definitions::scaffold;

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
        /// Which tools
        #[command(flatten)]
        which: Which,
    },
    /// Find tools by what they do, in English or Chinese.
    #[command(after_help = "\
Examples:
  toolsmith tools search read a web page
  toolsmith tools search 计算 --category data
  toolsmith tools search hash --limit 3 --json | jq -r '.tools[].name'")]
    Search {
        /// What is wanted, in words
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
        /// Which tools
        #[command(flatten)]
        which: Which,
        /// How many at most
        #[arg(long, value_name = "N", default_value = "10", value_parser = super::limit)]
        limit: u32,
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
    /// Check tool definitions without running anything.
    ///
    /// Every problem is listed with its file, line and column. The exit code is 2 when there is
    /// one.
    #[command(after_help = "\
Examples:
  toolsmith tools validate
  toolsmith tools validate tools/weather.yaml
  toolsmith tools validate --strict --json | jq '.problems'")]
    Validate {
        /// Files or folders; the configured tool folders when there are none
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Count warnings as problems too
        #[arg(long)]
        strict: bool,
    },
    /// Write the beginning of a tool definition, which runs as it is.
    #[command(after_help = "\
Examples:
  toolsmith tools new command greet
  toolsmith tools new http find_user --to team-tools
  toolsmith tools new javascript count_words && toolsmith run count_words text='one two'
  toolsmith tools new python count_words")]
    New {
        /// The kind of tool
        #[arg(value_parser = PossibleValuesParser::new(scaffold::KINDS))]
        kind: String,
        /// The name of the tool
        name: String,
        /// The folder to write to; the first configured tool folder when not given
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Let a tool be called again.
    #[command(after_help = "\
Examples:
  toolsmith tools enable web_fetch")]
    Enable {
        /// The tool
        name: String,
    },
    /// Keep a tool from being called, built-in ones too, until it is enabled again.
    #[command(after_help = "\
Examples:
  toolsmith tools disable delete_file
  toolsmith tools list --state disabled")]
    Disable {
        /// The tool
        name: String,
    },
    /// Accept the changed definition of a tool of an MCP server.
    ///
    /// With `on_change: approve`, a tool whose definition the server has changed waits until then.
    #[command(after_help = "\
Examples:
  toolsmith tools accept files__read_file
  toolsmith tools accept files")]
    Accept {
        /// The tool, or the server whose changed tools are meant
        name: String,
    },
    /// Log in to an MCP server that asks who you are.
    ///
    /// An address is shown; open it in a browser of this machine and agree there. The tokens are
    /// kept in the data folder, and renewed by themselves.
    #[command(after_help = "\
Examples:
  toolsmith tools login tickets")]
    Login {
        /// The server, as `mcpServers` names it
        name: String,
    },
    /// Forget the tokens of an MCP server.
    #[command(after_help = "\
Examples:
  toolsmith tools logout tickets")]
    Logout {
        /// The server, as `mcpServers` names it
        name: String,
    },
    /// Start the process or container of a tool and keep it until Ctrl-C.
    ///
    /// What the tool depends on is started first. Calls start services by themselves; this is for
    /// looking at one.
    #[command(after_help = "\
Examples:
  toolsmith tools start weather
  toolsmith tools start weather --json")]
    Start {
        /// The tool
        name: String,
    },
    /// Let running Toolsmith processes stop the process or container of a tool.
    ///
    /// The next call starts it again.
    #[command(after_help = "\
Examples:
  toolsmith tools stop weather")]
    Stop {
        /// The tool
        name: String,
    },
    /// Read the definitions again, and let running Toolsmith processes do so at once.
    #[command(after_help = "\
Examples:
  toolsmith tools reload")]
    Reload,
}

/// Which tools to list or search.
#[derive(Debug, Args)]
pub struct Which {
    /// Only tools of this category
    #[arg(long, value_name = "WORD")]
    pub category: Option<String>,
    /// Only tools with this tag; may be repeated, then all of them
    #[arg(long, value_name = "WORD")]
    pub tag: Vec<String>,
    /// Only tools of this group
    #[arg(long, value_name = "ID")]
    pub group: Option<String>,
    /// Only tools of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
    pub kind: Option<String>,
    /// Only tools that run there
    #[arg(long, value_name = "PLACE", value_parser = PossibleValuesParser::new(RUNTIMES))]
    pub runtime: Option<String>,
    /// Only tools that can be called, or only those that cannot
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(STATES))]
    pub state: Option<String>,
}

/// Where tools run.
const RUNTIMES: [&str; 4] = ["embedded", "local", "docker", "remote"];

/// Whether tools can be called.
const STATES: [&str; 2] = ["enabled", "disabled"];

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
