//! The definitions of tools, fitted to a provider.

use serde_json::{Map, Value, json};
use toolsmith_core::ToolSpec;

use super::{Limits, schema, shown_name};
use crate::{Change, RenderSettings, Rendering};

/// The definition of one tool as a provider allows it.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The name that is shown.
    pub(crate) name: String,
    /// What the tool does.
    pub(crate) description: String,
    /// The schema of its input.
    pub(crate) parameters: Value,
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

    /// Returns `{type: "function", function: {…}}`.
    pub(crate) fn wrapped(&self) -> Value {
        json!({"type": "function", "function": self.function()})
    }

    /// Returns the names and schemas of the parameters.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.parameters.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::iter)
    }

    /// Tells whether a parameter must be given.
    pub(crate) fn requires(&self, parameter: &str) -> bool {
        let required = self.parameters.get("required").and_then(Value::as_array);
        required.is_some_and(|required| required.iter().any(|name| name == parameter))
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
    let mut definitions = Vec::with_capacity(tools.len());
    for spec in tools {
        let name = shown_name(spec.name.as_str(), limits.names).into_owned();
        if name != spec.name.as_str() {
            let message = format!("the provider does not allow the name; it is shown as `{name}`");
            rendering.changes.push(change(spec, String::new(), message));
            rendering.names.push((name.clone(), spec.name.clone()));
        }
        let description = described(spec, limits, &mut rendering.changes);
        let mut changes = Vec::new();
        let parameters = schema::fit(spec.input_schema.to_value(), settings, limits, &mut changes);
        let changes = changes.into_iter().map(|(path, message)| change(spec, path, message));
        rendering.changes.extend(changes);
        definitions.push(Definition { name, description, parameters });
    }
    if let Some(spec) = tools.get(limits.tools) {
        let message =
            format!("the provider takes {} tools at most, this is one more", limits.tools);
        rendering.changes.push(change(spec, String::new(), message));
    }
    rendering.content = write(&definitions);
    rendering
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
