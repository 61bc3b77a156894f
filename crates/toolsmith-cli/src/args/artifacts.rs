//! `toolsmith artifacts …`

use clap::Subcommand;

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
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// Print an artifact, whole or a part of it.
    #[command(after_help = "\
Examples:
  toolsmith artifacts show 01JD8Z0V9K
  toolsmith artifacts show 01JD8Z0V9K --offset 65536 --limit 65536")]
    Show {
        /// The artifact's id
        id: String,
        /// The first byte
        #[arg(long, value_name = "N", default_value_t = 0)]
        offset: u64,
        /// How many bytes at most; all when it is not given
        #[arg(long, value_name = "N")]
        limit: Option<u64>,
    },
}
