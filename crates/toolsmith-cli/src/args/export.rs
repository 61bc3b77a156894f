//! `toolsmith export …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What to make of tools.
#[derive(Debug, Subcommand)]
pub enum ExportWord {
    /// Write the defined tools as registry.json, sources.json and groups.json.
    Registry(ExportRegistry),
}

/// Writes an old registry in JSON.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith export registry
  toolsmith export registry --out data --force
  toolsmith export registry --all --json

`toolsmith import registry` reads what this writes. Tools that are no process, container or service
are listed in registry.json and have no source; they are told with the reason.")]
pub struct ExportRegistry {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "registry")]
    pub out: PathBuf,
    /// Write the built-in tools too
    #[arg(long)]
    pub all: bool,
    /// Overwrite files that are there and different
    #[arg(long)]
    pub force: bool,
}
