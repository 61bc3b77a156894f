//! The page of a tool: what it does, takes and returns.

use std::fmt::Write as _;

use toolsmith_core::{JsonText, ToolSpec, Value, json};

use super::{Peer, Revision, TOOLS, with_title};
use crate::Gateway;

/// Lists the page of a tool.
pub(super) fn listed(spec: &ToolSpec, revision: Revision) -> Value {
    let name = spec.name.as_str();
    let resource = json!({
        "uri": format!("{TOOLS}{name}"),
        "name": name,
        "description": format!("How to use the tool {name}."),
        "mimeType": "text/markdown",
    });
    with_title(resource, spec.title.as_deref().unwrap_or(name), revision)
}

/// Reads the page of a tool that a client may see.
pub(super) fn read(gateway: &Gateway, peer: &Peer, name: &str, uri: &str) -> Option<Value> {
    let entry = gateway.0.engine.registry().visible(name, &peer.visitor.rights)?;
    Some(json!({ "uri": uri, "mimeType": "text/markdown", "text": written(&entry.spec) }))
}

fn written(spec: &ToolSpec) -> String {
    let name = spec.name.as_str();
    let mut page = format!("# {}\n\n", spec.title.as_deref().unwrap_or(name));
    let (version, category) = (&spec.version, spec.category.as_str());
    write!(page, "`{name}`, version {version}, category {category}\n\n").ok();
    if let Some(why) = &spec.deprecated {
        write!(page, "**Deprecated:** {why}\n\n").ok();
    }
    if !spec.enabled {
        page.push_str("**Disabled:** it cannot be called at the moment.\n\n");
    }
    writeln!(page, "{}", spec.description.trim()).ok();
    section(&mut page, "Input", &spec.input_schema);
    if let Some(schema) = &spec.output_schema {
        section(&mut page, "Output", schema);
    }
    for example in &spec.examples {
        section(&mut page, "Example", example);
    }
    page
}

fn section(page: &mut String, heading: &str, content: &JsonText) {
    let pretty = serde_json::to_string_pretty(&content.to_value()).unwrap_or_default();
    write!(page, "\n## {heading}\n\n```json\n{pretty}\n```\n").ok();
}
