//! `toolsmith completions`

use clap::Args;
use clap_complete::Shell;

/// Prints completions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  toolsmith completions bash > ~/.local/share/bash-completion/completions/toolsmith
  toolsmith completions zsh > ~/.zfunc/_toolsmith
  toolsmith completions fish > ~/.config/fish/completions/toolsmith.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}
