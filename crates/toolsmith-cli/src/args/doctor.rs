//! `toolsmith doctor`

use clap::Args;

/// Looks what is installed, reachable and configured.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith doctor
  toolsmith doctor --online
  toolsmith doctor --json | jq '.checks[] | select(.status != \"ok\")'

Each line is `ok`, `missing` (with what it would enable and how to get it) or `broken`. The exit
code is 1 when something that is configured is broken, and 0 otherwise. Nothing is sent to other
machines unless --online is given, and values of keys are never shown.")]
pub struct Doctor {
    /// Try to reach other machines too: package registries, configured servers
    #[arg(long)]
    pub online: bool,
}
