//! From tools to the three files.

use std::{collections::BTreeMap, fmt};

use serde_json::{Map, Value, json};
use toolsmith_core::{BackendRuntime, Group, JsonText, ToolSpec};

use super::{Files, Rebase, sources};
use crate::toml_registry::Unmapped;

/// A tool to be exported.
#[derive(Clone, Copy)]
pub struct Offered<'a> {
    /// What it is.
    pub spec: &'a ToolSpec,
    /// Its definition as it is written; `null` for a built-in tool.
    pub definition: &'a Value,
    /// Turns the paths of its folders into paths of the registry.
    pub rebase: Rebase<'a>,
}

impl fmt::Debug for Offered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Offered({})", self.spec.name)
    }
}

/// What an export gives.
#[derive(Debug, Default)]
pub struct Exported {
    /// The three files.
    pub files: Files,
    /// What the old service has no place for.
    pub unmapped: Vec<Unmapped>,
}

/// Makes a registry of tools; of several versions of a tool the highest is taken.
pub fn export<'a>(tools: impl IntoIterator<Item = Offered<'a>>, groups: &[Group]) -> Exported {
    let mut exported = Exported::default();
    let mut by_name: BTreeMap<&str, Offered<'a>> = BTreeMap::new();
    for tool in tools {
        let name = tool.spec.name.as_str();
        let other = by_name.get(name).map(|other| other.spec.version.clone());
        if let Some(other) = &other {
            let (low, high) = (other.min(&tool.spec.version), other.max(&tool.spec.version));
            let reason = format!("the old service knows one version; {high} was taken");
            exported.leave(format!("{name}@{low}"), reason);
        }
        if other.is_none_or(|other| other < tool.spec.version) {
            by_name.insert(name, tool);
        }
    }
    let mut routes = Map::new();
    let mut registry = Vec::with_capacity(by_name.len());
    for (name, tool) in by_name {
        registry.push(meta(tool.spec));
        match route(&tool) {
            Ok((route, left)) => {
                for key in left {
                    exported.leave(format!("{name}: {key}"), "a source has no such key");
                }
                routes.insert(name.to_owned(), route);
            }
            Err(reason) => exported.leave(name.to_owned(), reason),
        }
    }
    exported.files = Files {
        registry: json!({ "tools": registry }),
        sources: Value::Object(routes),
        groups: json!({ "groups": groups }),
    };
    exported
}

fn meta(spec: &ToolSpec) -> Value {
    let title = spec.title.as_deref().unwrap_or(spec.name.as_str());
    // The old service knows nothing that runs inside it.
    let runtime = match spec.backend_runtime {
        BackendRuntime::Embedded => "local",
        other => other.as_str(),
    };
    let output = spec.output_schema.as_ref().map_or_else(|| json!({}), JsonText::to_value);
    json!({
        "tool_id": spec.name,
        "name": title,
        "description": spec.description,
        "category": spec.category,
        "backend_runtime": runtime,
        "group_ids": spec.groups,
        "input_schema": spec.input_schema.to_value(),
        "output_schema": output,
        "stream_support": spec.stream_support,
        "status": if spec.enabled { "active" } else { "inactive" },
    })
}

/// Reads where a tool runs, with the keys that were left out; the error says why it is nowhere.
fn route(tool: &Offered<'_>) -> Result<(Value, Vec<String>), String> {
    let definition = tool.definition;
    if definition.is_null() {
        return Err("a built-in tool has no source".to_owned());
    }
    let Some(Value::Array(list)) = definition.get("sources") else {
        let entry = definition.get("entry").ok_or("it has no source")?;
        let source = sources::of_entry(entry, tool.rebase)?;
        let route = json!({ "sources": [sources::to_old(&source.map)], "active_source": 0 });
        return Ok((route, source.left));
    };
    let (mut all, mut left) = (Vec::new(), Vec::new());
    for source in list {
        let source = sources::read(source, tool.rebase)?;
        all.push(sources::to_old(&source.map));
        left.extend(source.left);
    }
    let active = definition.get("active_source").and_then(Value::as_u64).unwrap_or_default();
    Ok((json!({ "sources": all, "active_source": active }), left))
}

impl Exported {
    fn leave(&mut self, operation: String, reason: impl Into<String>) {
        self.unmapped.push(Unmapped { operation, reason: reason.into() });
    }
}
