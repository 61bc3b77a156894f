//! The definitions of tools, fitted to a provider.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use toolsmith_core::ToolSpec;

use super::{
    Frame, Limits, NameRule,
    names::free_name,
    python_json,
    schema::{self, Fitted},
};
use crate::{Change, RenderSettings, Rendering, Strict, guise::Guise};

/// The definition of one tool as a provider allows it.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The name that is shown.
    pub(crate) name: String,
    /// What the tool does.
    pub(crate) description: String,
    /// The schema of its input.
    pub(crate) parameters: Value,
    /// Whether the provider is asked to make the model keep to the schema.
    pub(crate) strictness: Strict,
}

impl Definition {
    /// Returns `{name, description, parameters}`.
    pub(crate) fn function(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        })
    }

    /// Returns [`function`](Self::function) as a text that stays inside a frame.
    pub(crate) fn function_text(&self, frame: Frame) -> String {
        frame.keep_json(&python_json(&self.function())).into_owned()
    }

    /// Returns [`wrapped`](Self::wrapped) as a text that stays inside a frame.
    pub(crate) fn wrapped_text(&self, frame: Frame) -> String {
        frame.keep_json(&python_json(&self.wrapped())).into_owned()
    }

    /// Returns `{type: "function", function: {…}}`.
    pub(crate) fn wrapped(&self) -> Value {
        json!({"type": "function", "function": self.function()})
    }

    /// Returns the names and schemas of the parameters.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.parameters.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::iter)
    }
}

/// Fits tools to a provider, and writes the definitions with `write`.
pub(crate) fn fitted(
    tools: &[&ToolSpec],
    settings: &RenderSettings,
    limits: &Limits,
    write: impl FnOnce(&[Definition]) -> Value,
) -> Rendering {
    let mut rendering = Rendering::default();
    let names = shown_names(tools, limits.names);
    let mut definitions = Vec::with_capacity(tools.len());
    for (spec, name) in tools.iter().zip(names) {
        if name != spec.name.as_str() {
            let message = format!("the provider does not allow the name; it is shown as `{name}`");
            rendering.changes.push(change(spec, String::new(), message));
            rendering.names.push((name.clone(), spec.name.clone()));
        }
        let description = described(spec, limits, &mut rendering.changes);
        let mut changes = Vec::new();
        let fitted = schema::fit(spec.input_schema.to_value(), settings, limits, &mut changes);
        let changes = changes.into_iter().map(|(path, message)| change(spec, path, message));
        rendering.changes.extend(changes);
        let Fitted { parameters, keys, fillers, strictness } = fitted;
        let reach = limits.keys.map(|(_, reach)| reach).unwrap_or_default();
        let (tool, shown) = (spec.name.text().clone(), name.as_str().into());
        let guise = Guise { tool, shown, keys, reach, fillers };
        if !guise.is_plain() {
            rendering.guises.push(guise);
        }
        definitions.push(Definition { name, description, parameters, strictness });
    }
    if let Some(spec) = tools.get(limits.tools) {
        let message = format!(
            "the provider takes {} tools at most, and this is one more; show a subset",
            limits.tools
        );
        rendering.changes.push(change(spec, String::new(), message));
    }
    rendering.content = write(&definitions);
    rendering
}

/// Returns the names under which tools are shown; a name of its own comes before a changed one.
fn shown_names(tools: &[&ToolSpec], rule: NameRule) -> Vec<String> {
    let mut taken: HashSet<String> = tools
        .iter()
        .map(|spec| spec.name.as_str().to_owned())
        .filter(|name| rule.is_legal(name))
        .collect();
    let mut shown = Vec::with_capacity(tools.len());
    for spec in tools {
        let name = spec.name.as_str();
        if rule.is_legal(name) {
            shown.push(name.to_owned());
            continue;
        }
        let free = free_name(name, rule, |name| taken.contains(name));
        taken.insert(free.clone());
        shown.push(free);
    }
    shown
}

/// Fits tools to a model that is told about them in text.
pub(crate) fn instructed(
    tools: &[&ToolSpec],
    settings: &RenderSettings,
    write: impl FnOnce(&[Definition]) -> String,
) -> Rendering {
    fitted(tools, settings, &Limits::NONE, |definitions| Value::String(write(definitions)))
}

fn described(spec: &ToolSpec, limits: &Limits, changes: &mut Vec<Change>) -> String {
    let whole = spec.description.as_str();
    match whole.char_indices().nth(limits.description).map(|(end, _)| end) {
        None => whole.to_owned(),
        Some(end) => {
            let message = format!(
                "the description was cut to the {} characters that the provider takes",
                limits.description
            );
            changes.push(change(spec, String::new(), message));
            whole.get(..end).unwrap_or(whole).to_owned()
        }
    }
}

fn change(spec: &ToolSpec, path: String, message: String) -> Change {
    Change { tool: spec.name.as_str().to_owned(), path, message }
}
