//! From arguments to an exit code.

use std::{ffi::OsString, process::ExitCode};

use anyhow::Result;
use clap::error::ErrorKind;
use toolsmith_core::Redactor;

use crate::{
    Session,
    args::{Cli, Word},
    commands,
    config::Environment,
    exit::{self, UsageError},
    output::{self, Form, Output},
};

/// Runs the command that the arguments name, and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, environment: Environment) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::read(&arguments) {
        Ok(cli) => cli,
        Err(error) => return answer_parser(&error, &arguments),
    };
    let form = if cli.globals.json { Form::Json } else { Form::People };
    let session = Session::new(cli.globals, environment, Output::to_stdout(form));
    match dispatch(&session, cli.word) {
        Ok(code) => code,
        Err(error) => report(&error, form, &session.redactor),
    }
}

fn dispatch(session: &Session, word: Word) -> Result<ExitCode> {
    match word {
        Word::Serve(serve) => commands::serve::run(session, &serve),
        Word::Mcp(mcp) => commands::mcp::run(session, &mcp),
        Word::Run(run) => commands::run::run(session, &run),
        Word::Batch(batch) => commands::batch::run(session, &batch),
        Word::Tools(word) => commands::tools::run(session, &word),
        Word::Render(render) => commands::render::run(session, &render),
        Word::Parse(parse) => commands::parse::run(session, &parse),
        Word::Calls(word) => commands::calls::run(session, &word),
        Word::Artifacts(word) => commands::artifacts::run(session, &word),
        Word::Approvals(word) => commands::approvals::run(session, &word),
        Word::Keys(word) => commands::keys::run(session, &word),
        Word::Import(word) => commands::import::run(session, &word),
        Word::Export(word) => commands::export::run(session, &word),
        Word::Config(word) => commands::config::run(session, &word),
        Word::Doctor(doctor) => commands::doctor::run(session, &doctor),
        Word::Init(init) => commands::init::run(session, &init),
        Word::Completions(completions) => commands::completions::run(session, &completions),
    }
}

/// Prints help and version where they were asked for, and complaints where they were not.
fn answer_parser(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let form = asks_for_json(arguments);
    let is_asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if form == Form::Json && !is_asked {
        return report(&UsageError::new(brief(error)).into(), form, &Redactor::default());
    }
    // Colours are control characters too: a complaint that repeats some goes without any.
    if !is_asked && arguments.iter().any(has_control) {
        output::tell(error.to_string().trim_end());
        return exit::USAGE.into();
    }
    // The reader of a pipe may be gone; then there is nobody to tell.
    error.print().ok();
    if is_asked { ExitCode::SUCCESS } else { exit::USAGE.into() }
}

fn has_control(argument: &OsString) -> bool {
    argument.to_string_lossy().contains(char::is_control)
}

/// Takes the usage lines and the prefix off a complaint of the parser.
fn brief(error: &clap::Error) -> String {
    let is_missing = matches!(
        error.kind(),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    );
    if is_missing {
        return "a command is missing; `toolsmith --help` lists them".to_owned();
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let text = text.split("\n\nUsage:").next().unwrap_or(text);
    let text = text.split("\n\nFor more information").next().unwrap_or(text);
    text.trim().to_owned()
}

/// The parser has failed, so the arguments are searched as they stand.
fn asks_for_json(arguments: &[OsString]) -> Form {
    let mut before_dashes = arguments.iter().take_while(|argument| *argument != "--");
    if before_dashes.any(|argument| argument == "--json") { Form::Json } else { Form::People }
}

/// Tells the user what went wrong: JSON on standard output, or text on standard error.
fn report(error: &anyhow::Error, form: Form, redactor: &Redactor) -> ExitCode {
    let code = exit::code_of(error);
    match form {
        Form::Json => {
            let mut json = exit::to_json(error);
            redactor.value(&mut json);
            output::print_json(&json).ok();
        }
        Form::People => output::tell(&redactor.text(&format!("error: {error:#}"))),
    }
    code.into()
}
