//! `toolsmith tools`: what there is, and what each tool wants.

mod show;

use std::process::ExitCode;

use anyhow::Result;
use serde::Serialize;
use toolsmith_core::{BackendRuntime, Kind, ToolSpec, Value};
use toolsmith_engine::registry::Filter;

use crate::{
    Session,
    args::ToolsWord,
    catalogue, compose,
    output::Colour,
    table::{Table, shorten},
};

/// How many columns a description takes in a table.
const BRIEF: usize = 70;

/// Lists the tools, or shows one.
pub(crate) fn run(session: &Session, word: &ToolsWord) -> Result<ExitCode> {
    let settings = session.load()?.settings;
    let engine = compose::engine(session, &settings)?;
    match word {
        ToolsWord::List { category, tag, kind } => {
            let filter = Filter {
                category: category.as_deref().map(Into::into),
                all_tags: tag.iter().map(Into::into).collect(),
                kind: kind.as_deref().and_then(kind_of),
                ..Filter::default()
            };
            let found = engine.registry().find(&filter);
            let tools: Vec<Row<'_>> = found.iter().map(|tool| Row::of(&tool.spec)).collect();
            let hint = tools.is_empty().then_some("No tool fits; without options all are listed.");
            let list = List { tools, hint };
            session.output.show(&list, |colour| list.text(colour))?;
        }
        ToolsWord::Show { name } => {
            let tool = catalogue::find(engine.registry(), name)?;
            session.output.show(&tool.spec, |colour| show::text(&tool.spec, colour))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The words were checked with the arguments.
fn kind_of(word: &str) -> Option<Kind> {
    serde_json::from_value(Value::from(word)).ok()
}

#[derive(Serialize)]
struct List<'a> {
    tools: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// A tool in a list.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    title: &'a str,
    version: String,
    description: &'a str,
    category: &'a str,
    kind: Kind,
    backend_runtime: BackendRuntime,
    state: &'static str,
}

impl<'a> Row<'a> {
    fn of(spec: &'a ToolSpec) -> Self {
        Self {
            name: spec.name.as_str(),
            title: spec.title.as_deref().unwrap_or(spec.name.as_str()),
            version: spec.version.to_string(),
            description: &spec.description,
            category: spec.category.as_str(),
            kind: spec.kind,
            backend_runtime: spec.backend_runtime,
            state: state_of(spec),
        }
    }
}

/// What runs in this process or elsewhere runs always; this command starts nothing else.
fn state_of(spec: &ToolSpec) -> &'static str {
    match spec.backend_runtime {
        BackendRuntime::Embedded | BackendRuntime::Remote => "running",
        BackendRuntime::Local | BackendRuntime::Docker => "stopped",
    }
}

impl List<'_> {
    fn text(&self, colour: Colour) -> String {
        if let Some(hint) = self.hint {
            return format!("{hint}\n");
        }
        let mut table = Table::new(&["NAME", "VERSION", "CATEGORY", "KIND", "DESCRIPTION"]);
        for tool in &self.tools {
            let description = shorten(tool.description, BRIEF);
            let cells = [tool.name, &tool.version, tool.category, tool.kind.as_str(), &description];
            table.row(cells);
        }
        table.render(colour)
    }
}
