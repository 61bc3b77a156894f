//! `toolsmith render`: tools, calls and results as a model gets them.

mod history;

use std::{io, process::ExitCode};

use anyhow::Result;
use toolsmith::models::Toolset;
use toolsmith_core::Exposure;
use toolsmith_dialects::{Dialect, Language, RenderSettings, Strict, Titles, instructions};
use toolsmith_engine::registry::Filter;

use crate::{
    Session,
    args::{Render, Tongue},
    compose::{self, Toolbox},
    exit::UsageError,
    files, output,
};

/// How long a line with a name may be.
const LONGEST_NAME: usize = 64 << 10;

/// Writes what is asked for.
pub(crate) fn run(session: &Session, asked: &Render) -> Result<ExitCode> {
    if asked.instructions.is_some() && asked.dialect != Dialect::Xml {
        let message = "--instructions are for --dialect xml; other models have learned theirs";
        return Err(UsageError::new(message).into());
    }
    let settings = session.load()?.settings;
    let toolbox = Toolbox::open(session, &settings)?;
    let engine = compose::engine(session, &settings, &toolbox)?;
    if asked.calls || asked.results {
        let kind = if asked.calls { history::Kind::Calls } else { history::Kind::Results };
        let all = engine.registry().find(&Filter::default());
        let names = all.iter().filter(|tool| tool.spec.enabled).map(|tool| tool.spec.name.as_str());
        let tools = Toolset::builder(&engine, asked.dialect).only(names).build()?;
        return history::run(session, &tools, asked.dialect, kind);
    }
    let most = usize::try_from(asked.most).unwrap_or(usize::MAX);
    let titles = if asked.titles { Titles::On } else { Titles::Off };
    let strict = if asked.strict { Strict::On } else { Strict::Off };
    let mut builder = Toolset::builder(&engine, asked.dialect)
        .with_most(most)
        .with_render_settings(RenderSettings { titles, strict });
    if !asked.names.is_empty() {
        builder = builder.only(names(&asked.names)?);
    }
    let tools = builder.build()?;
    let direct =
        Filter { exposure: Some(Exposure::Direct), enabled: Some(true), ..Filter::default() };
    if asked.names.is_empty() && engine.registry().find(&direct).len() > most {
        output::tell(&format!(
            "more than {most} tools: the pair that finds and calls them is shown instead; \
             --most N shows more, names choose some"
        ));
    }
    show(session, &tools, asked)
}

/// Returns the names, those of standard input in the place of `-`.
fn names(asked: &[String]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in asked {
        if name != "-" {
            names.push(name.clone());
            continue;
        }
        for line in files::lines(io::stdin().lock(), LONGEST_NAME) {
            let line = line?;
            names.extend(Some(line.trim().to_owned()).filter(|name| !name.is_empty()));
        }
    }
    Ok(names)
}

fn show(session: &Session, tools: &Toolset, asked: &Render) -> Result<ExitCode> {
    let rendering = tools.definitions();
    let mut content = rendering.content.clone();
    if let Some(tongue) = asked.instructions {
        let language = match tongue {
            Tongue::En => Language::English,
            Tongue::Zh => Language::Chinese,
        };
        content = format!("{}\n\n{}", rendering.text().trim_end(), instructions(language)).into();
    }
    for change in &rendering.changes {
        output::tell(&format!("changed: {}{}: {}", change.tool, change.path, change.message));
    }
    session.show(&content, |_| match content.as_str() {
        Some(text) => format!("{}\n", text.trim_end()),
        None => format!("{content:#}\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
