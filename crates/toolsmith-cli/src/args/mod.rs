//! The arguments of the command line: one file for each group of words.

mod artifacts;
mod calls;
mod completions;
mod config;
mod globals;
mod init;
mod run;
mod tools;

use clap::{Parser, Subcommand};

pub use self::{
    artifacts::ArtifactsWord,
    calls::{CallFilter, CallsWord, ExportFormat},
    completions::Completions,
    config::ConfigWord,
    globals::Globals,
    init::Init,
    run::{Batch, Run},
    tools::ToolsWord,
};

/// Tools for AI agents: register, run, record and serve them.
#[derive(Debug, Parser)]
#[command(name = "toolsmith", version, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  toolsmith init                  prepare this folder
  toolsmith config show           see what is in force, and where it was set
  toolsmith completions bash      completions for your shell")]
pub struct Cli {
    /// The flags that every word takes.
    #[command(flatten)]
    pub globals: Globals,
    /// The word.
    #[command(subcommand)]
    pub word: Word,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Word {
    /// Look at the configuration.
    #[command(subcommand)]
    Config(ConfigWord),
    /// Prepare a folder: a configuration, a place for tools.
    Init(Init),
    /// Print completions for a shell.
    Completions(Completions),
}

#[cfg(test)]
mod tests {
    use clap::{Args, CommandFactory, error::ErrorKind};

    use super::*;

    fn parse(arguments: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from([&["toolsmith"], arguments].concat())
    }

    /// Parses the arguments of a word that stands outside the command.
    fn parse_word<T: clap::FromArgMatches>(
        command: clap::Command,
        arguments: &[&str],
    ) -> Result<T, clap::Error> {
        let matches = command.try_get_matches_from([&["word"], arguments].concat())?;
        T::from_arg_matches(&matches)
    }

    #[test]
    fn the_definitions_agree_with_themselves() {
        Cli::command().debug_assert();
        Run::augment_args(clap::Command::new("run")).debug_assert();
        Batch::augment_args(clap::Command::new("batch")).debug_assert();
        ToolsWord::augment_subcommands(clap::Command::new("tools")).debug_assert();
        CallsWord::augment_subcommands(clap::Command::new("calls")).debug_assert();
        ArtifactsWord::augment_subcommands(clap::Command::new("artifacts")).debug_assert();
    }

    #[test]
    fn every_word_has_examples() {
        fn check(command: &clap::Command) {
            let name = command.get_name();
            if command.has_subcommands() && name != "toolsmith" {
                return command.get_subcommands().for_each(check);
            }
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n  toolsmith"), "{name}: {help}");
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
        check(&Run::augment_args(clap::Command::new("run")));
        check(&Batch::augment_args(clap::Command::new("batch")));
        check(&ToolsWord::augment_subcommands(clap::Command::new("tools")));
        check(&CallsWord::augment_subcommands(clap::Command::new("calls")));
        check(&ArtifactsWord::augment_subcommands(clap::Command::new("artifacts")));
    }

    #[test]
    fn global_flags_stand_before_or_after_the_word() {
        for arguments in [
            ["--data", "d", "--json", "config", "show"],
            ["config", "--data", "d", "--json", "show"],
            ["config", "show", "--json", "--data", "d"],
        ] {
            let globals = parse(&arguments).unwrap().globals;
            assert_eq!((globals.data.as_deref(), globals.json), (Some("d"), true));
        }
        let globals = parse(&["config", "show", "--tools", "a", "--tools", "b"]).unwrap().globals;
        assert_eq!(globals.tools, ["a", "b"]);
    }

    #[test]
    fn words_that_do_not_work_yet_are_not_there() {
        for word in ["run", "tools", "calls", "serve"] {
            assert_eq!(parse(&[word]).unwrap_err().kind(), ErrorKind::InvalidSubcommand, "{word}");
        }
    }

    #[test]
    fn a_run_takes_pairs_and_options_in_any_order() {
        let command = || Run::augment_args(clap::Command::new("run"));
        let run: Run =
            parse_word(command(), &["echo", "--timeout", "1.5", "a=-1", "b:=[]", "--dry-run"])
                .unwrap();
        assert_eq!(
            (run.name.as_str(), run.pairs.as_slice()),
            ("echo", &["a=-1", "b:=[]"].map(String::from)[..])
        );
        assert_eq!(run.timeout.map(|timeout| timeout.as_millis()), Some(1_500));
        assert!(run.dry_run);
        for wrong in ["0", "-1", "soon", "1e99"] {
            let argument = format!("--timeout={wrong}");
            assert!(parse_word::<Run>(command(), &["echo", &argument]).is_err(), "{wrong}");
        }
    }
}
