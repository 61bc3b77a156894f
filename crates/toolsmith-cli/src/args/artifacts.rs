//! `toolsmith artifacts …`

use std::path::PathBuf;

use clap::Subcommand;
use toolsmith_core::CallId;

use super::{at_least_one, call_id, limit};

/// What to do with outputs that were too large to show whole.
#[derive(Debug, Subcommand)]
pub enum ArtifactsWord {
    /// List artifacts, the latest first.
    #[command(after_help = "\
Examples:
  toolsmith artifacts list
  toolsmith artifacts list --json | jq -r '.artifacts[].id'")]
    List {
        /// How many at most
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = limit)]
        limit: u32,
        /// Only artifacts before this one, to go on where a list ended
        #[arg(long, value_name = "ID", value_parser = call_id)]
        before: Option<CallId>,
    },
    /// Print an artifact, whole or a part of it.
    #[command(after_help = "\
Examples:
  toolsmith artifacts show 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60
  toolsmith artifacts show 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60 --offset 65536 --limit 65536
  toolsmith artifacts show 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60 --output whole.txt")]
    Show {
        /// The artifact's id: that of its call
        #[arg(value_parser = call_id)]
        id: CallId,
        /// The first byte
        #[arg(long, value_name = "N", default_value_t = 0)]
        offset: u64,
        /// How many bytes at most; all when it is not given
        #[arg(long, value_name = "N", value_parser = at_least_one)]
        limit: Option<u64>,
        /// The file, which is overwritten; standard output when it is not given
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}
