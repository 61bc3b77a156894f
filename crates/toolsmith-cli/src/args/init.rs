//! `toolsmith init`

use std::path::PathBuf;

use clap::Args;

/// Prepares a folder.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith init
  toolsmith init my-agent

Files that are there already stay as they are.")]
pub struct Init {
    /// The folder; it is made when it is not there
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}
