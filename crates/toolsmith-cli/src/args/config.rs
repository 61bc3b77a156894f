//! `toolsmith config …`

use clap::Subcommand;

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigWord {
    /// Show every setting in force, and where it was set.
    #[command(after_help = "\
Examples:
  toolsmith config show
  toolsmith config show --json | jq '.[\"limits.max_concurrent\"]'
  TOOLSMITH_LIMITS_QUEUE_SIZE=500 toolsmith config show")]
    Show,
}
