//! `toolsmith import openapi`: one definition for each operation of a document.

use std::process::ExitCode;

use anyhow::Result;
use toolsmith_connectors::openapi::{self, Import, Options, Selection};
use toolsmith_core::Value;
use toolsmith_definitions::toml_registry::Unmapped;

use super::{
    report::{self, Report, SHOWN, Target, Whole},
    source::{Fetcher, Source},
};
use crate::{
    Session,
    args::ImportOpenapi,
    compose::{self, Toolbox},
    exit::UsageError,
    output::Colour,
    progress::Spinner,
    table::Table,
    wording::counted,
};

pub(super) fn run(session: &Session, wanted: &ImportOpenapi) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let spinner = Spinner::start(format!("reading {}", wanted.source));
    let fetcher = Fetcher {
        client: compose::client(&settings, &session.environment)?,
        patience: settings.limits.network_timeout,
        redactor: &session.redactor,
    };
    let Source { document, url, problems } = fetcher.read(&wanted.source)?;
    spinner.say("making tools");
    let import = openapi::import(&document, &options(wanted, url))
        .map_err(|why| UsageError::new(format!("{}: {why}", wanted.source)))?;
    spinner.say(format!("writing {}", counted(import.tools.len() as u64, "file")));
    let target = target(wanted, &import, &toolbox);
    let report = write(&import, problems, &target, &toolbox)?;
    drop(spinner);
    session.show(&report, |colour| text(&report, &import, &target, colour))?;
    Ok(ExitCode::SUCCESS)
}

fn options(wanted: &ImportOpenapi, source: Option<toolsmith_net::Url>) -> Options {
    Options {
        source,
        base_url: wanted.base_url.clone(),
        prefix: wanted.prefix.clone(),
        selection: Selection {
            tags: wanted.tag.clone(),
            paths: wanted.path.clone(),
            methods: wanted.method.clone(),
            operations: wanted.operation.clone(),
        },
    }
}

/// One document under two prefixes is two things: neither import may take the other for outdated.
fn target(wanted: &ImportOpenapi, import: &Import, toolbox: &Toolbox) -> Target {
    let folder = match &wanted.out {
        Some(folder) => folder.clone(),
        None => report::folder(None, toolbox).join(&import.name),
    };
    let prefix = wanted.prefix.as_deref().unwrap_or_default();
    Target::new(folder, format!("openapi {prefix} {}", import.title), wanted.handling)
}

fn write(
    import: &Import,
    problems: Vec<String>,
    target: &Target,
    toolbox: &Toolbox,
) -> Result<Report> {
    let source = Whole::without(&problems);
    let origin = format!("{} {}", import.title, import.version);
    let mut report = Report::default();
    report.warnings.clone_from(&import.warnings);
    let left = import.unmapped.iter().cloned();
    report.unmapped =
        left.map(|left| Unmapped { operation: left.operation, reason: left.reason }).collect();
    for definition in &import.tools {
        report.put(target, origin.trim(), definition)?;
    }
    let is_builtin = |name: &&String| {
        toolbox.builtins().iter().any(|tool| tool.spec.name.as_str() == name.as_str())
    };
    let taken = report.tools.iter().filter(is_builtin).map(|name| {
        format!(
            "`{name}` is a built-in tool, whose place this definition takes; --prefix avoids it"
        )
    });
    let taken: Vec<String> = taken.collect();
    report.warnings.extend(taken);
    report.warnings.extend(problems);
    report.finish(target, &import.others, source);
    Ok(report)
}

fn text(report: &Report, import: &Import, target: &Target, colour: Colour) -> String {
    let mut text = table(import, colour);
    if import.tools.is_empty() {
        text.push_str("the document has no operation that a tool could be made of\n");
    }
    text.push_str(&report.text(target, colour));
    if !import.variables.is_empty() {
        let variables = import.variables.join(", ");
        text.extend([format!("\nSet before the first call: {variables}\n")]);
    }
    text + &report.next(target)
}

fn table(import: &Import, colour: Colour) -> String {
    if import.tools.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["NAME", "METHOD", "PATH"]);
    for tool in import.tools.iter().take(SHOWN) {
        let cell = |place: &str| tool.pointer(place).and_then(Value::as_str).unwrap_or_default();
        table.row([cell("/name"), cell("/entry/method"), cell("/entry/path")]);
    }
    let mut text = table.render(colour);
    if let Some(more) = import.tools.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.extend([format!("… and {more} more\n")]);
    }
    text + "\n"
}
