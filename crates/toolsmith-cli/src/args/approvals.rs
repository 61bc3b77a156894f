//! `toolsmith approvals …`

use clap::Subcommand;
use toolsmith_core::CallId;

use super::approval_id;

/// What to do with calls that wait for a person.
#[derive(Debug, Subcommand)]
pub enum ApprovalsWord {
    /// List the calls that wait, the oldest first.
    #[command(after_help = "\
Examples:
  toolsmith approvals list
  toolsmith approvals list --json | jq -r '.approvals[].approval_id'")]
    List,
    /// Show a call that waits, with its whole input.
    #[command(after_help = "\
Examples:
  toolsmith approvals show 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60")]
    Show {
        /// The id that the caller was given
        #[arg(value_parser = approval_id)]
        id: CallId,
    },
    /// Let a call run, once.
    #[command(after_help = "\
Examples:
  toolsmith approvals approve 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60")]
    Approve {
        /// The id that the caller was given
        #[arg(value_parser = approval_id)]
        id: CallId,
    },
    /// Refuse a call.
    #[command(after_help = "\
Examples:
  toolsmith approvals deny 019a8475-e7b4-7a3c-9d2f-3b5c1e8f4a60")]
    Deny {
        /// The id that the caller was given
        #[arg(value_parser = approval_id)]
        id: CallId,
    },
}
