//! `toolsmith calls …`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// What to do with the records of calls.
#[derive(Debug, Subcommand)]
pub enum CallsWord {
    /// List calls, the latest first.
    #[command(after_help = "\
Examples:
  toolsmith calls list
  toolsmith calls list --tool echo --failed
  toolsmith calls list --since 2h --limit 500 --json")]
    List {
        /// Which calls.
        #[command(flatten)]
        filter: CallFilter,
        /// How many at most
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        /// Go on where an earlier list ended
        #[arg(long, value_name = "CURSOR")]
        next: Option<String>,
    },
    /// Show one call.
    #[command(after_help = "\
Examples:
  toolsmith calls show 01JD8Z0V9K
  toolsmith calls show 01JD8Z0V9K --json | jq .result")]
    Show {
        /// The call's id
        id: String,
    },
    /// Count calls, failures and times for each tool.
    #[command(after_help = "\
Examples:
  toolsmith calls stats
  toolsmith calls stats --since 24h --json")]
    Stats {
        /// Which calls.
        #[command(flatten)]
        filter: CallFilter,
    },
    /// Sum up one conversation.
    #[command(after_help = "\
Examples:
  toolsmith calls summary conversation-1
  toolsmith calls summary conversation-1 --brief --json")]
    Summary {
        /// The conversation
        #[arg(value_name = "CONVERSATION")]
        conversation: String,
        /// Only the totals
        #[arg(long)]
        brief: bool,
    },
    /// Write calls as JSON Lines or CSV.
    #[command(after_help = "\
Examples:
  toolsmith calls export > calls.jsonl
  toolsmith calls export --format csv --since 7d --to calls.csv")]
    Export {
        /// Which calls.
        #[command(flatten)]
        filter: CallFilter,
        /// The format
        #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
        format: ExportFormat,
        /// The file; standard output when it is not given
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Remove records: by the configured retention, or those named here.
    #[command(after_help = "\
Examples:
  toolsmith calls prune
  toolsmith calls prune --older-than 30d
  toolsmith calls prune --conversation conversation-1")]
    Prune {
        /// Records older than this: 90s, 15m, 12h, 30d, 8w
        #[arg(long, value_name = "AGE")]
        older_than: Option<String>,
        /// All but the latest so many
        #[arg(long, value_name = "N")]
        keep: Option<usize>,
        /// All records of a caller
        #[arg(long, value_name = "ID")]
        caller: Option<String>,
        /// All records of a conversation
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
    },
}

/// Which calls.
#[derive(Clone, Debug, Default, Args)]
pub struct CallFilter {
    /// Only calls of this tool
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Only calls of this conversation
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// Only calls by this caller
    #[arg(long, value_name = "ID")]
    pub caller: Option<String>,
    /// Only calls since then: a time (RFC 3339) or an age such as 2h
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only calls until then: a time (RFC 3339) or an age such as 2h
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only calls that failed
    #[arg(long, conflicts_with = "succeeded")]
    pub failed: bool,
    /// Only calls that succeeded
    #[arg(long)]
    pub succeeded: bool,
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object a line
    Jsonl,
    /// Comma-separated values with a header
    Csv,
}
