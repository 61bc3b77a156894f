//! `toolsmith render`: tools, calls and results as a model gets them.

mod history;

use std::{
    io::{self, BufRead},
    process::ExitCode,
};

use anyhow::Result;
use toolsmith::models::Toolset;
use toolsmith_builtins::catalogue::search_tools;
use toolsmith_dialects::{Dialect, Language, RenderSettings, Strict, Titles, instructions};

use crate::{
    Session,
    args::{Render, Tongue},
    compose::{self, Toolbox},
    exit::UsageError,
    output,
};

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
        return history::run(session, &Toolset::of(&engine, asked.dialect), asked.dialect, kind);
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
    show(session, &builder.build()?, asked)
}

/// Returns the names, those of standard input in the place of `-`.
fn names(asked: &[String]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for name in asked {
        if name != "-" {
            names.push(name.clone());
            continue;
        }
        for line in io::stdin().lock().lines() {
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
    let is_pair = tools.names().first().is_some_and(|name| name.as_str() == search_tools::NAME);
    if asked.names.is_empty() && is_pair {
        output::tell(&format!(
            "more than {} tools: the pair that finds and calls them is shown instead; \
             --most N shows more, names choose some",
            asked.most
        ));
    }
    session.show(&content, |_| match content.as_str() {
        Some(text) => format!("{}\n", text.trim_end()),
        None => format!("{content:#}\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
