//! `toolsmith calls …`

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueEnum};
use toolsmith_core::CallId;

use super::{
    call_id, limit,
    moment::{Moment, age, moment},
};

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
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
        /// Only calls before this one, to go on where a list ended
        #[arg(long, value_name = "ID", value_parser = call_id)]
        before: Option<CallId>,
    },
    /// Show one call.
    #[command(after_help = "\
Examples:
  toolsmith calls show 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60
  toolsmith calls show 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60 --json | jq .result")]
    Show {
        /// The call's id, as `toolsmith calls list` shows it
        #[arg(value_parser = call_id)]
        id: CallId,
    },
    /// Count calls, failures and times for each tool.
    #[command(after_help = "\
Examples:
  toolsmith calls stats
  toolsmith calls stats --json | jq .tools.echo

The counts are sums over all time: pruning by age, number or size leaves them as they are.
Erasing takes out what is counted of the records that are still there.")]
    Stats,
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
    /// Write calls as JSON Lines or CSV, the earliest first.
    #[command(after_help = "\
Examples:
  toolsmith calls export > calls.jsonl
  toolsmith calls export --format csv --since 7d --output calls.csv

With --json, standard output is one document {\"calls\": […]}, or a report when --output is given.")]
    Export {
        /// Which calls.
        #[command(flatten)]
        filter: CallFilter,
        /// The format
        #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
        format: ExportFormat,
        /// The file, which is overwritten; standard output when it is `-` or not given
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Remove records and their artifacts: by the configured retention, or those named here.
    #[command(after_help = "\
Examples:
  toolsmith calls prune
  toolsmith calls prune --older-than 30d --max-bytes 1000000000
  toolsmith calls prune --conversation conversation-1 --yes

Statistics are sums over all time; pruning by age, number or size leaves them as they are.
With --caller, --conversation or --user records are erased, and what the statistics count of
those that are still there is taken out; that is asked about on a terminal and needs --yes
elsewhere.")]
    Prune(Prune),
}

/// Which records go.
#[derive(Clone, Debug, Default, Args)]
pub struct Prune {
    /// Records older than this: 90s, 15m, 12h, 30d, 8w
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub older_than: Option<Duration>,
    /// All but the latest so many
    #[arg(long, value_name = "N")]
    pub keep: Option<u64>,
    /// The oldest, until database and artifacts take no more than so many bytes
    #[arg(long, value_name = "N")]
    pub max_bytes: Option<u64>,
    /// All records of a caller
    #[arg(long, value_name = "ID", conflicts_with_all = ["older_than", "keep", "max_bytes"])]
    #[arg(group = "whose")]
    pub caller: Option<String>,
    /// All records of a conversation
    #[arg(long, value_name = "ID", conflicts_with_all = ["older_than", "keep", "max_bytes"])]
    #[arg(group = "whose")]
    pub conversation: Option<String>,
    /// All records of a person
    #[arg(long, value_name = "ID", conflicts_with_all = ["older_than", "keep", "max_bytes"])]
    #[arg(group = "whose")]
    pub user: Option<String>,
    /// Erase without asking
    #[arg(long)]
    pub yes: bool,
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
    /// Only calls for this person
    #[arg(long, value_name = "ID")]
    pub user: Option<String>,
    /// Only calls since then: a time (RFC 3339), a day, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub since: Option<Moment>,
    /// Only calls before then: a time (RFC 3339), a day, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<Moment>,
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
