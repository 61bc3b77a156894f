//! From the three files to definitions.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};
use toolsmith_core::{ToolName, describe};

use super::{Files, Rebase, sources};
use crate::toml_registry::Unmapped;

/// What an import gives.
#[derive(Debug, Default)]
pub struct Imported {
    /// The definitions, in the order of the registry.
    pub definitions: Vec<Value>,
    /// The groups, each as a map.
    pub groups: Vec<Value>,
    /// What was put right, and what is worth a look.
    pub warnings: Vec<String>,
    /// What has no place in definitions.
    pub unmapped: Vec<Unmapped>,
}

/// The keys of a tool that are read.
const KEYS: [&str; 13] = [
    "tool_id",
    "name",
    "description",
    "category",
    "backend_runtime",
    "group_ids",
    "input_schema",
    "output_schema",
    "stream_support",
    "status",
    "sources",
    "active_source",
    "state",
];

/// Makes definitions of a registry; folders in it are seen from where they will stand.
pub fn import(files: &Files, rebase: Rebase<'_>) -> Imported {
    let mut importing = Importing { rebase, imported: Imported::default(), names: BTreeMap::new() };
    let tools = importing.items("registry.json", &files.registry, &["tools"], "tool_id");
    let routes =
        importing.items("sources.json", &files.sources, &["sources", "routes", "tools"], "tool_id");
    // Good names are given first, so that none of them goes to somebody else.
    let (good, others): (Vec<_>, Vec<_>) = tools.iter().partition(|(id, _)| is_name(id));
    for (id, _) in good.into_iter().chain(others) {
        importing.name(id);
    }
    let mut routes: BTreeMap<String, &Value> = routes.into_iter().collect();
    for (id, tool) in &tools {
        let route = routes.remove(id);
        importing.tool(id, tool, route);
    }
    for id in routes.into_keys() {
        importing.leave(format!("sources.json: {id}"), "registry.json has no such tool");
    }
    for (id, group) in importing.items("groups.json", &files.groups, &["groups"], "group_id") {
        importing.group(&id, group);
    }
    importing.imported
}

struct Importing<'a> {
    rebase: Rebase<'a>,
    imported: Imported,
    /// The names of tools by their old identifiers.
    names: BTreeMap<String, Option<String>>,
}

impl Importing<'_> {
    /// Lists the things of a file, which may be a list or a map, in a wrapper or not.
    fn items<'v>(
        &mut self,
        file: &str,
        value: &'v Value,
        wrappers: &[&str],
        id: &str,
    ) -> Vec<(String, &'v Value)> {
        let is_wrapped = |inner: &Value| match inner {
            Value::Array(_) => value.get(id).is_none(),
            Value::Object(map) => !map.contains_key("sources") && !map.contains_key(id),
            _ => false,
        };
        let inside =
            wrappers.iter().filter_map(|key| value.get(*key)).find(|inner| is_wrapped(inner));
        let all: Vec<(String, &Value)> = match inside.unwrap_or(value) {
            Value::Null => Vec::new(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(place, item)| {
                    (text(item, id).unwrap_or(&format!("[{place}]")).to_owned(), item)
                })
                .collect(),
            Value::Object(map) if text(value, id).is_some() && inside.is_none() => {
                vec![
                    (text(value, id).unwrap_or_default().to_owned(), value);
                    usize::from(!map.is_empty())
                ]
            }
            Value::Object(map) => map
                .iter()
                .map(|(key, item)| (text(item, id).unwrap_or(key).to_owned(), item))
                .collect(),
            other => {
                let reason = format!("expected a list or an object, found {}", describe(other));
                self.leave(file.to_owned(), reason);
                Vec::new()
            }
        };
        self.without_twins(file, all)
    }

    fn without_twins<'v>(
        &mut self,
        file: &str,
        all: Vec<(String, &'v Value)>,
    ) -> Vec<(String, &'v Value)> {
        let mut seen = HashSet::new();
        let (first, again): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(id, _)| seen.insert(id.clone()));
        for (id, _) in again {
            self.leave(format!("{file}: {id}"), "it is there twice; the first one counts");
        }
        first
    }

    /// Finds a good name for an identifier.
    fn name(&mut self, id: &str) {
        if is_name(id) {
            self.names.insert(id.to_owned(), Some(id.to_owned()));
            return;
        }
        let is_good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let clean: String = id.chars().map(|c| if is_good(c) { c } else { '_' }).take(56).collect();
        let clean = clean.trim_matches(['.', '_', '-']);
        // An identifier without a letter of a name is kept as the title.
        let clean = if clean.is_empty() { "tool" } else { clean };
        let mut candidates =
            (1..).map(|n| if n == 1 { clean.to_owned() } else { format!("{clean}_{n}") });
        let is_free = |name: &String| !self.names.values().flatten().any(|other| other == name);
        let name = candidates.find(is_free);
        if let Some(name) = &name {
            self.warn(format!("`{id}` is no name for a tool; it was called `{name}`"));
        }
        self.names.insert(id.to_owned(), name);
    }

    fn tool(&mut self, id: &str, tool: &Value, route: Option<&Value>) {
        let Value::Object(meta) = tool else {
            let reason = format!("expected an object, found {}", describe(tool));
            return self.leave(format!("registry.json: {id}"), reason);
        };
        let Some(name) = self.names.get(id).cloned().flatten() else {
            return self.leave(format!("registry.json: {id}"), "no name can be made of it");
        };
        let mut definition = Map::from_iter([("name".to_owned(), json!(name))]);
        let title = self.text(id, meta, "name").filter(|title| *title != name);
        let title = title.or_else(|| (id != name && !id.is_empty()).then(|| id.to_owned()));
        let mut say = |key: &str, value: Option<Value>| {
            definition.extend(value.map(|value| (key.to_owned(), all_literal(&value))));
        };
        say("title", title.map(Value::from));
        say("description", self.text(id, meta, "description").map(Value::from));
        say("category", self.text(id, meta, "category").map(Value::from));
        say("groups", self.texts(id, meta, "group_ids"));
        say("input_schema", self.schema(id, meta, "input_schema"));
        say("output", self.schema(id, meta, "output_schema"));
        say("stream_support", meta.get("stream_support").filter(|is| **is == json!(true)).cloned());
        let is_inactive =
            meta.get("status").is_some_and(|status| !status.is_null() && status != "active");
        say("enabled", is_inactive.then_some(json!(false)));
        definition.extend(self.sources(id, meta, route));
        for key in meta.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            self.leave(format!("{id}: {key}"), "definitions have no place for it");
        }
        self.imported.definitions.push(Value::Object(definition));
    }

    /// Reads where a tool runs: one source is its entry, several are its sources.
    fn sources(
        &mut self,
        id: &str,
        meta: &Map<String, Value>,
        route: Option<&Value>,
    ) -> Map<String, Value> {
        let route = route.or_else(|| meta.get("sources"));
        let (list, active) = match route {
            Some(Value::Array(list)) => (list.as_slice(), meta.get("active_source")),
            Some(Value::Object(map)) => match map.get("sources") {
                Some(Value::Array(list)) => (list.as_slice(), map.get("active_source")),
                _ => (route.map_or(&[][..], std::slice::from_ref), None),
            },
            _ => (&[][..], None),
        };
        let mut sources = Vec::new();
        for (place, value) in list.iter().enumerate() {
            match sources::read(value, self.rebase) {
                Ok(source) => {
                    for key in source.left {
                        self.leave(
                            format!("{id}: sources[{place}].{key}"),
                            "a source has no such key",
                        );
                    }
                    sources.push(source.map);
                }
                Err(reason) => self.leave(format!("{id}: sources[{place}]"), reason),
            }
        }
        let active = self.active(id, active, sources.len());
        match sources.as_slice() {
            [] => {
                self.warn(format!(
                    "`{id}` has no source: its calls will answer `executor_not_found`"
                ));
                Map::new()
            }
            [one] => Map::from_iter([("entry".to_owned(), sources::to_entry(one))]),
            _ => Map::from_iter([
                ("sources".to_owned(), sources.into_iter().map(Value::Object).collect()),
                ("active_source".to_owned(), json!(active)),
            ]),
        }
    }

    fn active(&mut self, id: &str, active: Option<&Value>, count: usize) -> u64 {
        let number = active.and_then(Value::as_u64);
        let is_fine = number.is_some_and(|number| usize::try_from(number).is_ok_and(|n| n < count));
        if active.is_some_and(|active| !active.is_null()) && !is_fine && count > 0 {
            self.warn(format!(
                "`{id}`: there is no such source as `active_source` says; the first counts"
            ));
        }
        number.filter(|_| is_fine).unwrap_or_default()
    }

    fn group(&mut self, id: &str, group: &Value) {
        let Value::Object(old) = group else {
            let reason = format!("expected an object, found {}", describe(group));
            return self.leave(format!("groups.json: {id}"), reason);
        };
        let mut group = Map::from_iter([("group_id".to_owned(), json!(id))]);
        for key in ["name", "description", "category", "usage_example"] {
            group.extend(self.text(id, old, key).map(|text| (key.to_owned(), json!(text))));
        }
        for key in ["tool_ids", "usage_order"] {
            let Some(Value::Array(ids)) = self.texts(id, old, key) else { continue };
            let names = ids.iter().filter_map(Value::as_str).filter_map(|id| self.named(id));
            let names: Vec<Value> = names.map(Value::from).collect();
            if names.len() < ids.len() {
                self.warn(format!(
                    "the group `{id}` has members in `{key}` that are no names of tools"
                ));
            }
            group.insert(key.to_owned(), Value::Array(names));
        }
        self.imported.groups.push(Value::Object(group));
    }

    /// Returns the name that a tool has got, or its identifier when that can be a name.
    fn named(&self, id: &str) -> Option<String> {
        let known = self.names.get(id).cloned();
        known.unwrap_or_else(|| ToolName::new(id).is_ok().then(|| id.to_owned()))
    }

    fn text(&mut self, id: &str, map: &Map<String, Value>, key: &str) -> Option<String> {
        match map.get(key)? {
            Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            Value::Null => None,
            other => {
                self.leave(
                    format!("{id}: {key}"),
                    format!("expected text, found {}", describe(other)),
                );
                None
            }
        }
    }

    fn texts(&mut self, id: &str, map: &Map<String, Value>, key: &str) -> Option<Value> {
        match map.get(key)? {
            Value::Array(items) if items.iter().all(Value::is_string) => {
                Some(Value::Array(items.clone())).filter(|_| !items.is_empty())
            }
            Value::Null => None,
            other => {
                let reason = format!("expected a list of texts, found {}", describe(other));
                self.leave(format!("{id}: {key}"), reason);
                None
            }
        }
    }

    fn schema(&mut self, id: &str, map: &Map<String, Value>, key: &str) -> Option<Value> {
        match map.get(key)? {
            Value::Object(schema) if schema.is_empty() => None,
            schema @ Value::Object(_) => Some(schema.clone()),
            Value::Null => None,
            other => {
                self.leave(
                    format!("{id}: {key}"),
                    format!("expected a schema, found {}", describe(other)),
                );
                None
            }
        }
    }

    fn warn(&mut self, warning: String) {
        self.imported.warnings.push(warning);
    }

    fn leave(&mut self, operation: String, reason: impl Into<String>) {
        self.imported.unmapped.push(Unmapped { operation, reason: reason.into() });
    }
}

/// Tells whether an identifier can be the name of a tool, and of its file.
fn is_name(id: &str) -> bool {
    ToolName::new(id).is_ok() && !id.starts_with('.')
}

/// Writes texts so that nothing in them is a variable: the old service knew none.
fn all_literal(value: &Value) -> Value {
    match value {
        Value::String(text) => text.replace("${", "$${").into(),
        Value::Array(items) => items.iter().map(all_literal).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (key.clone(), all_literal(field))).collect()
        }
        other => other.clone(),
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}
