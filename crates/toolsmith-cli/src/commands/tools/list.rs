//! `toolsmith tools list`: what there is.

use std::{borrow::Cow, process::ExitCode};

use anyhow::Result;
use serde::{Serialize, de::DeserializeOwned};
use toolsmith_core::{BackendRuntime, Kind, Redactor, Text, ToolSpec, Value};

use super::Shelf;
use crate::{
    Session,
    args::Which,
    output::Colour,
    table::{Table, shorten},
};

/// How many columns a description takes in a table.
const BRIEF: usize = 70;

pub(super) fn run(shelf: &Shelf, session: &Session, which: &Which) -> Result<ExitCode> {
    let found = shelf.engine.registry().find(&shelf.filter(which)?);
    let tools = found.iter().map(|tool| Row::of(&tool.spec, &session.redactor)).collect();
    List::new(tools, "No tool fits; without options all are listed.").show(session)
}

/// Reads a word that was checked with the arguments.
pub(super) fn word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::from(word)).ok()
}

/// Tools, one a line.
#[derive(Serialize)]
pub(super) struct List<'a> {
    tools: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// A tool in a list.
#[derive(Serialize)]
pub(super) struct Row<'a> {
    name: &'a str,
    title: &'a str,
    version: String,
    description: Cow<'a, str>,
    category: &'a str,
    kind: Kind,
    backend_runtime: BackendRuntime,
    state: &'static str,
    #[serde(skip_serializing_if = "<[Text]>::is_empty")]
    groups: &'a [Text],
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
}

impl<'a> Row<'a> {
    /// Takes what a list shows; a secret must be gone before a text is cut in the middle of it.
    pub(super) fn of(spec: &'a ToolSpec, redactor: &Redactor) -> Self {
        Self {
            name: spec.name.as_str(),
            title: spec.title.as_deref().unwrap_or(spec.name.as_str()),
            version: spec.version.to_string(),
            description: redactor.text(&spec.description),
            category: spec.category.as_str(),
            kind: spec.kind,
            backend_runtime: spec.backend_runtime,
            state: state_of(spec),
            groups: &spec.groups,
            score: None,
        }
    }

    /// Adds how well it fits a question.
    pub(super) fn with_score(mut self, score: f32) -> Self {
        self.score = Some(score);
        self
    }
}

/// What has no process of its own between calls runs always; this command starts nothing else.
fn state_of(spec: &ToolSpec) -> &'static str {
    match (spec.kind, spec.backend_runtime) {
        _ if !spec.enabled => "disabled",
        (Kind::Command, _) | (_, BackendRuntime::Embedded | BackendRuntime::Remote) => "running",
        (_, BackendRuntime::Local | BackendRuntime::Docker) => "stopped",
    }
}

impl<'a> List<'a> {
    /// Takes the rows, and what to say when there are none.
    pub(super) fn new(tools: Vec<Row<'a>>, hint: &'static str) -> Self {
        let hint = tools.is_empty().then_some(hint);
        Self { tools, hint }
    }

    pub(super) fn show(&self, session: &Session) -> Result<ExitCode> {
        session.show(self, |colour| self.text(colour))?;
        Ok(ExitCode::SUCCESS)
    }

    fn text(&self, colour: Colour) -> String {
        if let Some(hint) = self.hint {
            return format!("{hint}\n");
        }
        let mut table = Table::new(&["NAME", "VERSION", "CATEGORY", "KIND", "DESCRIPTION"]);
        for tool in &self.tools {
            let note = if tool.state == "disabled" { "(disabled) " } else { "" };
            let description = shorten(&format!("{note}{}", tool.description), BRIEF);
            let cells = [tool.name, &tool.version, tool.category, tool.kind.as_str(), &description];
            table.row(cells);
        }
        table.render(colour)
    }
}
