//! Shows tools, calls and results to a model in its dialect.

use serde::Serialize;
use serde_json::Value;
use toolsmith_core::{ToolName, ToolSpec};

use crate::{Dialect, Tools, formats::xml, guise::Guise};

/// Whether schemas keep their `title`s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Titles {
    /// They are left out: they repeat the names and cost tokens.
    #[default]
    Off,
    /// Every schema and property has one, made from its name where there is none.
    On,
}

/// Whether the provider is asked to make the model keep to the schemas.
///
/// Only `OpenAI`'s definitions know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strict {
    /// It is not: schemas are shown nearly as they are.
    #[default]
    Off,
    /// It is, for every tool whose schema can be said in the strict subset.
    ///
    /// Parameters that may be left out become required ones that may be null; a reader that knows
    /// the definitions ([`Tools::shown_as`]) leaves those nulls out again. A tool whose schema
    /// cannot be said so is shown without strictness, and the changes say why.
    On,
}

/// How tools are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderSettings {
    /// Whether schemas have titles.
    pub titles: Titles,
    /// Whether the model is made to keep to the schemas.
    pub strict: Strict,
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
    /// Those of the tools that are not shown as they are; see [`Tools::shown_as`].
    pub(crate) guises: Vec<Guise>,
}

impl Rendering {
    /// Returns the tool that is shown under a name; the name itself where it was not changed.
    pub fn original<'a>(&'a self, shown: &'a str) -> &'a str {
        let found = self.names.iter().find(|(name, _)| name == shown);
        found.map_or(shown, |(_, tool)| tool.as_str())
    }

    /// Returns the name under which a tool is shown; the name itself where it was not changed.
    pub fn shown<'a>(&'a self, tool: &'a str) -> &'a str {
        let found = self.names.iter().find(|(_, name)| name.as_str() == tool);
        found.map_or(tool, |(shown, _)| shown)
    }

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
    /// Where the output comes from.
    pub provenance: Provenance,
}

/// Where a result comes from, for dialects whose results can say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provenance {
    /// From a tool of this program.
    #[default]
    Own,
    /// From the world outside: nobody here vouches for what it says.
    Outside,
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
///
/// What the provider does not take is shown otherwise and listed in the changes; give the rendering
/// to [`Tools::shown_as`], and calls are read back as the tools know them. As with results, no text
/// of a tool can end the frame around it.
pub fn render_tools(dialect: Dialect, tools: &[&ToolSpec], settings: &RenderSettings) -> Rendering {
    dialect.format().definitions(tools, settings)
}

/// Writes calls as a model of a dialect would; for histories and for tests.
///
/// Where `tools` know how they were shown ([`Tools::shown_as`]), the calls use the shown names.
pub fn render_calls(dialect: Dialect, calls: &[ShownCall<'_>], tools: &Tools) -> String {
    let guised: Vec<_> = calls
        .iter()
        .map(|call| tools.guise(call.name).map(|g| (g, g.shown_arguments(call.arguments))))
        .collect();
    let calls: Vec<_> = calls
        .iter()
        .zip(&guised)
        .map(|(call, guised)| match guised {
            None => *call,
            Some((guise, arguments)) => ShownCall { id: call.id, name: &guise.shown, arguments },
        })
        .collect();
    dialect.format().calls(&calls, tools)
}

/// Writes the results of calls for the model.
///
/// A result cannot end the frame it stands in, nor speak with the marks of the chat template: where
/// a dialect is text, the first character of whatever reads as its markup is written as an entity
/// (`&lt;/function_results>`), or as `\u003c` in outputs that are JSON.
///
/// Results from outside say so where a dialect has a place for it: XML (`<result from="outside">`)
/// and MCP (`_meta`).
pub fn render_results(dialect: Dialect, results: &[ShownResult<'_>]) -> String {
    dialect.format().results(results)
}

/// Returns the text that tells a model without native tools how to write a call in XML.
pub fn instructions(language: Language) -> &'static str {
    xml::instructions(language)
}
