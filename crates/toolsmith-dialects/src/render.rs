//! Shows tools, calls and results to a model in its dialect.

use serde::Serialize;
use serde_json::Value;
use toolsmith_core::{ToolName, ToolSpec};

use crate::{Dialect, Tools, formats::xml};

/// Whether schemas keep their `title`s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Titles {
    /// They are left out: they repeat the names and cost tokens.
    #[default]
    Off,
    /// Every schema and property has one, made from its name where there is none.
    On,
}

/// How tools are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderSettings {
    /// Whether schemas have titles.
    pub titles: Titles,
}

/// Something that had to be changed so that a provider takes a definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The tool.
    pub tool: String,
    /// Where in its schema: a JSON Pointer.
    pub path: String,
    /// What was changed, and why.
    pub message: String,
}

/// Tool definitions as a model gets them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendering {
    /// The definitions: a string of text for the prompt, or JSON for the request.
    pub content: Value,
    /// What had to be changed.
    pub changes: Vec<Change>,
    /// The tools whose names the provider does not allow: what they are shown as, what they are.
    pub names: Vec<(String, ToolName)>,
}

impl Rendering {
    /// Returns the definitions as text: the text for the prompt itself, or the JSON written out.
    pub fn text(&self) -> String {
        self.content.as_str().map_or_else(|| self.content.to_string(), str::to_owned)
    }
}

/// A call to be written.
#[derive(Clone, Copy, Debug)]
pub struct ShownCall<'a> {
    /// Its identifier, for dialects that have them.
    pub id: Option<&'a str>,
    /// The tool.
    pub name: &'a str,
    /// The arguments, an object.
    pub arguments: &'a Value,
}

/// A result to be written.
#[derive(Clone, Copy, Debug)]
pub struct ShownResult<'a> {
    /// The identifier of its call, for dialects that have them.
    pub id: Option<&'a str>,
    /// The tool.
    pub name: &'a str,
    /// The output, or the message of the error.
    pub result: Result<&'a Value, &'a str>,
}

/// The language of instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

/// Shows tools to a model.
pub fn render_tools(dialect: Dialect, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    dialect.format().definitions(tools, settings)
}

/// Writes calls as a model of a dialect would; for histories and for tests.
pub fn render_calls(dialect: Dialect, calls: &[ShownCall<'_>], tools: &Tools) -> String {
    dialect.format().calls(calls, tools)
}

/// Writes the results of calls for the model.
pub fn render_results(dialect: Dialect, results: &[ShownResult<'_>]) -> String {
    dialect.format().results(results)
}

/// Returns the text that tells a model without native tools how to write a call in XML.
pub fn instructions(language: Language) -> &'static str {
    xml::instructions(language)
}
