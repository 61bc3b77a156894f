//! `toolsmith import …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What to make tools of.
#[derive(Debug, Subcommand)]
pub enum ImportWord {
    /// Make definitions of an old registry in TOML (`__registry__.toml` and its folders).
    Toml(ImportToml),
    /// Make definitions of an old registry in JSON (`registry.json`, `sources.json`, `groups.json`).
    Registry(ImportRegistry),
}

/// Makes definitions of an old registry in TOML.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import toml configs/tools --dry-run
  toolsmith import toml configs/tools --out tools
  toolsmith import toml configs/tools/__registry__.toml --json

Such a folder can also be used as it is: `toolsmith --tools configs/tools tools list`. Each tool
becomes one file, and the sets become groups.yaml. What was put right is told as a warning, what
has no place in definitions is listed. Files that somebody has changed stay as they are, unless
--force is given.")]
pub struct ImportToml {
    /// The folder with the registry, or the registry itself
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The folder to write to [default: the first tool folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Overwrite files that somebody has changed
    #[arg(long)]
    pub force: bool,
}

/// Makes definitions of an old registry in JSON.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith import registry data --dry-run
  toolsmith import registry data --out tools
  toolsmith import registry registry.json sources.json --json

Folders of local tools are looked for from the current folder, or from the folder above one that is
called `data`. Files that somebody has changed stay as they are, unless --force is given.")]
pub struct ImportRegistry {
    /// The folder with the three files, or single files of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// The folder to write to [default: the first tool folder]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Overwrite files that somebody has changed
    #[arg(long)]
    pub force: bool,
}
