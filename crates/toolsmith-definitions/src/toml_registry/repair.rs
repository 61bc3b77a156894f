//! Keys that a table swallowed, because they stand below its heading, are put back.

use toolsmith_core::{Fault, Spot};

use crate::{
    problem::{About, Findings},
    variables::escaped,
    yaml::{Content, Entry, Node},
};

/// The keys of a tool file that belong to no table.
pub(super) const TOP: [&str; 18] = [
    "name",
    "tool_type",
    "description",
    "function_path",
    "enabled",
    "timeout",
    "api_url",
    "method",
    "auth_method",
    "api_key",
    "retry_count",
    "retry_delay",
    "mcp_server_url",
    "dynamic_schema",
    "refresh_interval",
    "version",
    "state_config",
    "rate_limit",
];

/// What may rightly stand in a table under such a name too.
const OWN: [(&str, &[&str]); 5] = [
    ("metadata", &["name", "description", "version"]),
    ("parameters_schema", &["description"]),
    ("rate_limit", &[]),
    ("state_config", &["enabled", "timeout"]),
    // A header is text; `retry_count = 3` is none.
    ("headers", &["name", "description", "version", "method", "api_key", "enabled", "timeout"]),
];

/// The words of a schema that are no names of parameters when a list or a flag follows them.
const SCHEMA: [&str; 3] = ["required", "additionalProperties", "additional_properties"];

/// Puts the keys of a tool file where they belong, with a warning for each.
pub(super) fn tool(document: &mut Node, findings: &mut Findings) {
    schema(document, findings);
    for (table, own) in OWN {
        let Some(node) = child(document, table) else { continue };
        let is_swallowed = |entry: &mut Entry| {
            let is_own = own.contains(&entry.key.as_str())
                && (table != "headers" || entry.value.as_text().is_some());
            TOP.contains(&entry.key.as_str()) && !is_own
        };
        let swallowed = extract(node, is_swallowed);
        for entry in swallowed {
            let from = format!("/{table}/{}", escaped(&entry.key));
            put(document, entry, &from, table, findings);
        }
    }
}

/// Puts the tables of a registry where they belong.
pub(super) fn registry(document: &mut Node, findings: &mut Findings) {
    const TABLES: [&str; 3] = ["tool_types", "tool_sets", "auto_discovery"];
    for table in ["tool_types", "tool_sets"] {
        let Some(Node { value: Content::Map(inner), .. }) = child(document, table) else {
            continue;
        };
        let mut swallowed = Vec::new();
        for entry in inner {
            let found = extract(&mut entry.value, |entry| TABLES.contains(&entry.key.as_str()));
            let name = format!("{table}.{}", entry.key);
            swallowed.extend(found.into_iter().map(|found| (name.clone(), found)));
        }
        for (name, entry) in swallowed {
            let from = format!("/{}/{}", name.replacen('.', "/", 1), escaped(&entry.key));
            put(document, entry, &from, &name, findings);
        }
    }
}

/// Brings the words of the schema out of the list of parameters, and out of the last of them.
fn schema(document: &mut Node, findings: &mut Findings) {
    let Some(schema) = child(document, "parameters_schema") else { return };
    let Some(properties) = child(schema, "properties") else { return };
    let mut found: Vec<(String, Entry)> = Vec::new();
    let place = "parameters_schema.properties";
    // `parameters_schema.required = […]` below the heading of the properties.
    let whole = take(properties, "parameters_schema", is_part_of_schema);
    let parts = whole.map(|mut whole| extract(&mut whole.value, |_| true)).unwrap_or_default();
    let words = extract(properties, |entry| {
        SCHEMA.contains(&entry.key.as_str()) && !matches!(entry.value.value, Content::Map(_))
    });
    found.extend(words.into_iter().map(|word| (place.to_owned(), word)));
    let mut tops = Vec::new();
    if let Content::Map(parameters) = &mut properties.value {
        let is_no_schema = |entry: &mut Entry| {
            TOP.contains(&entry.key.as_str())
                && !matches!(entry.value.value, Content::Map(_) | Content::Bool(_))
        };
        tops.extend(parameters.extract_if(.., is_no_schema));
        for parameter in parameters {
            let is_object = parameter.value.entry("properties").is_some();
            if let Some(word) = take(&mut parameter.value, "required", |value| {
                matches!(value.value, Content::List(_)) && !is_object
            }) {
                found.push((format!("{place}.{}", parameter.key), word));
            }
        }
    }
    for entry in parts {
        let key = format!("parameters_schema.{}", entry.key);
        let from = pointer(place, "parameters_schema");
        tell(findings, &from, place, (&key, &key));
        add(schema, entry);
    }
    for (table, entry) in found {
        let to = format!("parameters_schema.{}", entry.key);
        tell(findings, &pointer(&table, &entry.key), &table, (&entry.key, &to));
        add(schema, entry);
    }
    for entry in tops {
        let from = pointer(place, &entry.key);
        put(document, entry, &from, place, findings);
    }
}

/// A parameter may have any name, but what it holds is a schema with a type or a description.
fn is_part_of_schema(node: &Node) -> bool {
    let Content::Map(entries) = &node.value else { return false };
    !entries.is_empty() && entries.iter().all(|entry| SCHEMA.contains(&entry.key.as_str()))
}

/// Puts an entry at the top, unless the top says something of its own there.
fn put(document: &mut Node, entry: Entry, from: &str, table: &str, findings: &mut Findings) {
    if document.entry(&entry.key).is_some_and(|own| own.value.value != entry.value.value)
        && !matches!(entry.value.value, Content::Map(_))
    {
        let key = &entry.key;
        let message = format!(
            "`{key}` stands below `[{table}]` and at the top with another value; the one at the top \
             counts"
        );
        findings.warn(About::Other, fault(from, message));
        return;
    }
    tell(findings, from, table, (&entry.key, &entry.key));
    add(document, entry);
}

fn tell(findings: &mut Findings, from: &str, table: &str, (key, to): (&str, &str)) {
    let message = format!(
        "`{key}` stands below `[{table}]`, to which it belongs in TOML; it was read as `{to}`: move \
         the line above that heading"
    );
    findings.warn(About::Other, fault(from, message));
}

/// Adds an entry; a table joins one of the same name, whose own keys win.
fn add(node: &mut Node, entry: Entry) {
    let Content::Map(entries) = &mut node.value else { return };
    let Some(there) = entries.iter_mut().find(|own| own.key == entry.key) else {
        entries.push(entry);
        return;
    };
    let (Content::Map(own), Content::Map(more)) = (&mut there.value.value, entry.value.value)
    else {
        return;
    };
    for entry in more {
        if own.iter().all(|own| own.key != entry.key) {
            own.push(entry);
        }
    }
}

fn child<'n>(node: &'n mut Node, key: &str) -> Option<&'n mut Node> {
    let Content::Map(entries) = &mut node.value else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
}

fn take(node: &mut Node, key: &str, fits: impl Fn(&Node) -> bool) -> Option<Entry> {
    extract(node, |entry| entry.key == key && fits(&entry.value)).pop()
}

fn extract(node: &mut Node, fits: impl FnMut(&mut Entry) -> bool) -> Vec<Entry> {
    match &mut node.value {
        Content::Map(entries) => entries.extract_if(.., fits).collect(),
        _ => Vec::new(),
    }
}

fn pointer(table: &str, key: &str) -> String {
    format!("/{}/{}", table.replace('.', "/"), escaped(key))
}

fn fault(pointer: &str, message: String) -> Fault {
    Fault { pointer: pointer.to_owned(), spot: Spot::Key, message }
}
