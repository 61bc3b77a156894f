//! The arguments of the command line: one file for each group of words.

mod approvals;
mod artifacts;
mod calls;
mod completions;
mod config;
mod dialects;
mod doctor;
mod export;
mod globals;
mod import;
mod init;
mod keys;
mod mcp;
mod moment;
mod run;
mod serve;
mod tools;
mod values;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub(crate) use self::run::call_timeout;
use self::values::{approval_id, at_least_one, call_id, limit};
pub use self::{
    approvals::ApprovalsWord,
    artifacts::ArtifactsWord,
    calls::{CallFilter, CallsWord, ExportFormat, Prune},
    completions::Completions,
    config::ConfigWord,
    dialects::{Parse, Render, Thinking, Tongue},
    doctor::Doctor,
    export::{ExportRegistry, ExportWord},
    globals::Globals,
    import::{Handling, ImportMcp, ImportOpenapi, ImportRegistry, ImportToml, ImportWord},
    init::Init,
    keys::{CallsInTime, KeysWord},
    mcp::{Mcp, McpClient},
    moment::Moment,
    run::{Batch, Run},
    serve::Serve,
    tools::{ToolsWord, Which},
};

/// Tools for AI agents: register, run, record and serve them.
#[derive(Debug, Parser)]
#[command(name = "toolsmith", version, subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  toolsmith serve                                  serve the tools to other programs
  toolsmith run echo message=hi                    call a tool
  toolsmith run calculator expression='2*(3+4)'    call another
  toolsmith tools list                             see what there is
  toolsmith calls list                             see what was called
  toolsmith init                                   prepare this folder")]
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
    /// Serve the tools to other programs, over HTTP.
    Serve(Serve),
    /// Give the tools to an MCP client, over standard input and output.
    Mcp(Mcp),
    /// Call a tool.
    Run(Run),
    /// Call many tools at once.
    Batch(Batch),
    /// Find, check, make and switch tools.
    #[command(subcommand)]
    Tools(ToolsWord),
    /// Show tools to a model in its dialect.
    Render(Render),
    /// Read the calls in the reply of a model.
    Parse(Parse),
    /// Look at the records of calls: list, count, export, remove.
    #[command(subcommand)]
    Calls(CallsWord),
    /// Look at outputs that were too large to show whole.
    #[command(subcommand)]
    Artifacts(ArtifactsWord),
    /// Decide about calls that wait for a person.
    #[command(subcommand)]
    Approvals(ApprovalsWord),
    /// Make, list and revoke the keys of callers.
    #[command(subcommand)]
    Keys(KeysWord),
    /// Make tools of what is there already.
    #[command(subcommand)]
    Import(ImportWord),
    /// Hand tools to other systems.
    #[command(subcommand)]
    Export(ExportWord),
    /// Look at the configuration.
    #[command(subcommand)]
    Config(ConfigWord),
    /// Look what is installed, reachable and configured, and what is missing.
    Doctor(Doctor),
    /// Prepare a folder: a configuration, a place for tools.
    Init(Init),
    /// Print completions for a shell.
    Completions(Completions),
}

impl Cli {
    /// Parses the arguments of the process.
    pub fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        let mut cli = Self::try_parse_from(without_json_for_help(arguments))?;
        // Of a repeated flag that stands on both sides of the word, the parser keeps one side.
        let all = tools_folders(arguments);
        if all.len() > cli.globals.tools.len() {
            cli.globals.tools = all;
        }
        Ok(cli)
    }
}

/// Takes `--json` away from `toolsmith help …`, the only word that knows no flags.
fn without_json_for_help(arguments: &[OsString]) -> Vec<OsString> {
    let is_flag = |argument: &&OsString| argument.to_string_lossy().starts_with('-');
    let word = arguments.iter().skip(1).find(|argument| !is_flag(argument));
    let is_help = word.is_some_and(|word| word == "help");
    arguments.iter().filter(|argument| !is_help || *argument != "--json").cloned().collect()
}

fn tools_folders(arguments: &[OsString]) -> Vec<String> {
    let mut folders = Vec::new();
    let words = arguments.iter().take_while(|argument| *argument != "--");
    let mut words = words.filter_map(|argument| argument.to_str());
    while let Some(word) = words.next() {
        if word == "--tools" {
            folders.extend(words.next().map(str::to_owned));
        } else if let Some(folder) = word.strip_prefix("--tools=") {
            folders.push(folder.to_owned());
        }
    }
    folders
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    fn parse(arguments: &[&str]) -> Result<Cli, clap::Error> {
        let arguments: Vec<OsString> =
            ["toolsmith"].iter().chain(arguments).map(OsString::from).collect();
        Cli::read(&arguments)
    }

    #[test]
    fn the_definitions_agree_with_themselves() {
        Cli::command().debug_assert();
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
    fn folders_of_tools_count_on_both_sides_of_the_word() {
        let globals = parse(&["--tools", "a", "config", "--tools=b", "show", "--tools", "c"]);
        assert_eq!(globals.unwrap().globals.tools, ["a", "b", "c"]);
        let globals = parse(&["run", "--tools", "a", "echo", "--", "--tools=b"]).unwrap().globals;
        assert_eq!(globals.tools, ["a"]);
    }

    #[test]
    fn words_that_do_not_work_yet_are_not_there() {
        for word in ["chat", "worker"] {
            assert_eq!(parse(&[word]).unwrap_err().kind(), ErrorKind::InvalidSubcommand, "{word}");
        }
    }

    #[test]
    fn a_run_takes_pairs_and_options_in_any_order() {
        let words = ["run", "echo", "--timeout", "1.5", "a=-1", "b:=[]", "--dry-run"];
        let Word::Run(run) = parse(&words).unwrap().word else { panic!("no run") };
        assert_eq!(
            (run.name.as_str(), run.pairs.as_slice()),
            ("echo", &["a=-1", "b:=[]"].map(String::from)[..])
        );
        assert_eq!(run.timeout.map(|timeout| timeout.as_millis()), Some(1_500));
        assert!(run.dry_run);
        for wrong in ["0", "-1", "soon", "1e99", "NaN"] {
            let argument = format!("--timeout={wrong}");
            assert!(parse(&["run", "echo", &argument]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits_out_of_range_are_refused_in_plain_words() {
        for word in ["calls", "artifacts"] {
            assert!(parse(&[word, "list", "--limit", "10000"]).is_ok());
            for wrong in ["0", "10001", "-1", "many", "99999999999999999999"] {
                let error = parse(&[word, "list", &format!("--limit={wrong}")]).unwrap_err();
                let text = error.to_string();
                assert!(text.contains("expected a whole number from 1 to 10000"), "{text}");
            }
        }
    }

    #[test]
    fn help_is_not_confused_by_global_flags() {
        for words in [&["help", "--json"][..], &["help", "run", "--json"], &["--json", "help"]] {
            assert_eq!(parse(words).unwrap_err().kind(), ErrorKind::DisplayHelp, "{words:?}");
        }
    }

    #[test]
    fn erasing_and_pruning_are_not_mixed() {
        for wrong in [
            &["--caller", "a", "--keep", "3"][..],
            &["--caller", "a", "--user", "b"],
            &["--older-than", "soon"],
        ] {
            assert!(parse(&[&["calls", "prune"], wrong].concat()).is_err(), "{wrong:?}");
        }
        assert!(parse(&["calls", "prune", "--older-than", "30d", "--keep", "3"]).is_ok());
    }
}
