//! A tool file of an old registry → the same in the words of a definition.

use std::path::Path;

use toolsmith_core::{Fault, Spot, suggestion};

use super::{entry, repair};
use crate::{
    Makers,
    problem::{About, Findings},
    variables::escaped,
    yaml::{Content, Entry, Node},
};

/// The types of tools.
pub(super) const TYPES: [&str; 4] = ["builtin", "native", "rest", "mcp"];

/// Keys without a counterpart, which say nothing about what a call does.
const SILENT: [(&str, &str); 3] = [
    ("state_config", "the state of a tool is kept by the code that runs it"),
    ("dynamic_schema", "the tools of an MCP server are followed as they change"),
    ("refresh_interval", "the tools of an MCP server are followed as they change"),
];

/// What became of a tool file.
#[derive(Debug)]
pub(crate) struct Adapted {
    /// The definition; its places are those of the file.
    pub(crate) definition: Node,
    /// What was found in the file as it stands.
    pub(crate) findings: Findings,
    /// The keys that are not in the definition, each with the reason.
    pub(crate) unmapped: Vec<(String, String)>,
}

/// Says what a tool file says in the words of a definition.
pub(crate) fn adapt(file: &Path, document: &Node, makers: &Makers) -> Adapted {
    let mut findings = Findings::default();
    let mut repaired = document.clone();
    repair::tool(&mut repaired, &mut findings);
    let mut keys = Keys::of(repaired);
    let mut adapting = Adapting { findings, unmapped: Vec::new(), definition: Vec::new() };
    let word = adapting.type_of(&mut keys, file);
    adapting.describe(&mut keys);
    if let Some(word) = word {
        let name = adapting.name().map(str::to_owned);
        let findings = &mut adapting.findings;
        let entry = entry::of(word, &mut keys, name.as_deref(), makers, findings);
        adapting.definition.extend(entry);
    }
    adapting.treat(&mut keys);
    adapting.leave(keys);
    let Adapting { findings, unmapped, definition } = adapting;
    let definition = Node { value: Content::Map(definition), line: 1, column: 1 };
    Adapted { definition, findings, unmapped }
}

/// The keys of a table that nobody has taken yet.
pub(super) struct Keys(Vec<Entry>);

impl Keys {
    /// Takes the entries of a table; anything else has none.
    pub(super) fn of(node: Node) -> Self {
        match node.value {
            Content::Map(entries) => Self(entries),
            _ => Self(Vec::new()),
        }
    }

    /// Takes one key.
    pub(super) fn take(&mut self, key: &str) -> Option<Entry> {
        let place = self.0.iter().position(|entry| entry.key == key)?;
        Some(self.0.remove(place))
    }

    /// Takes the first of several words for the same thing.
    pub(super) fn take_any(&mut self, keys: &[&str]) -> Option<Entry> {
        keys.iter().find_map(|key| self.take(key))
    }
}

/// Gives an entry another name.
pub(super) fn renamed(entry: Entry, key: &str) -> Entry {
    Entry { key: key.to_owned(), ..entry }
}

/// Makes an entry that stands where something else stands.
pub(super) fn made(key: &str, value: Content, (line, column): (usize, usize)) -> Entry {
    Entry { key: key.to_owned(), line, column, value: Node { value, line, column } }
}

/// Makes a fault of a value of the file.
pub(super) fn fault(pointer: impl Into<String>, message: impl Into<String>) -> Fault {
    Fault { pointer: pointer.into(), spot: Spot::Value, message: message.into() }
}

struct Adapting {
    findings: Findings,
    unmapped: Vec<(String, String)>,
    definition: Vec<Entry>,
}

impl Adapting {
    fn name(&self) -> Option<&str> {
        let name = self.definition.iter().find(|entry| entry.key == "name");
        name.and_then(|name| name.value.as_text())
    }

    /// Reads the type; where it is not written, the folder and the other keys tell.
    fn type_of(&mut self, keys: &mut Keys, file: &Path) -> Option<&'static str> {
        let Some(Entry { value, .. }) = keys.take("tool_type") else {
            return self.guess_type(keys, file);
        };
        let known = value.as_text().and_then(|word| TYPES.into_iter().find(|own| *own == word));
        if known.is_none() {
            let near = value.as_text().and_then(|word| suggestion(word, TYPES));
            let near = near.map(|near| format!(". {near}")).unwrap_or_default();
            let list = TYPES.join("`, `");
            let found = value.describe();
            let message = format!("expected one of `{list}`, found {found}{near}");
            self.findings.fault(fault("/tool_type", message));
        }
        known
    }

    fn guess_type(&mut self, keys: &Keys, file: &Path) -> Option<&'static str> {
        let has = |key: &str| keys.0.iter().any(|entry| entry.key == key);
        let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let of_folder = TYPES.into_iter().find(|word| Some(*word) == folder);
        let of_keys = [("api_url", "rest"), ("mcp_server_url", "mcp")];
        let of_keys = of_keys.into_iter().find(|(key, _)| has(key)).map(|(_, word)| word);
        let of_path = has("function_path").then_some("builtin");
        let word = of_keys.or(of_folder).or(of_path);
        let Some(word) = word else {
            let message = format!("`tool_type` is missing: one of `{}`", TYPES.join("`, `"));
            self.findings.fault(Fault { spot: Spot::Key, ..fault("", message) });
            return None;
        };
        let message = format!("`tool_type` is missing; it was taken for `{word}`");
        self.findings.warn(About::Other, Fault { spot: Spot::Key, ..fault("", message) });
        Some(word)
    }

    /// Takes over what the tool is, for models and people.
    fn describe(&mut self, keys: &mut Keys) {
        for key in ["name", "title", "version", "description"] {
            self.definition.extend(keys.take(key));
        }
        if let Some(metadata) = keys.take("metadata") {
            self.describe_more(metadata);
        }
        if let Some(schema) = keys.take("parameters_schema") {
            self.definition.push(renamed(schema, "input_schema"));
        }
        if let Some(examples) = keys.take("examples") {
            self.definition.push(Entry { value: self::examples(examples.value), ..examples });
        }
    }

    fn describe_more(&mut self, metadata: Entry) {
        if !matches!(metadata.value.value, Content::Map(_)) {
            let message = format!("expected a table, found {}", metadata.value.describe());
            return self.findings.fault(fault("/metadata", message));
        }
        let mut metadata = Keys::of(metadata.value);
        for key in ["version", "category", "tags", "author", "icon"] {
            let is_said = self.definition.iter().any(|entry| entry.key == key);
            self.definition.extend(metadata.take(key).filter(|_| !is_said));
        }
        for left in metadata.0 {
            let reason = "definitions have no place for it".to_owned();
            self.unmapped.push((format!("metadata.{}", left.key), reason));
        }
    }

    /// Takes over how calls are treated.
    fn treat(&mut self, keys: &mut Keys) {
        for key in ["timeout", "enabled"] {
            self.definition.extend(keys.take(key));
        }
        let count = keys.take("retry_count");
        let place = count.as_ref().map(|count| (count.line, count.column));
        let delay = keys.take("retry_delay").map(|delay| renamed(delay, "delay"));
        let retry: Vec<Entry> =
            count.map(|count| renamed(count, "max_retries")).into_iter().chain(delay).collect();
        if let Some(first) = retry.first() {
            let place = place.unwrap_or((first.line, first.column));
            self.definition.push(made("retry", Content::Map(retry), place));
        }
        if let Some(limit) = keys.take("rate_limit") {
            self.limit(limit);
        }
    }

    fn limit(&mut self, limit: Entry) {
        const SPANS: [(&str, u32); 4] = [
            ("requests_per_second", 1),
            ("requests_per_minute", 60),
            ("requests_per_hour", 3_600),
            ("requests_per_day", 86_400),
        ];
        let place = (limit.line, limit.column);
        let mut keys = Keys::of(limit.value);
        let found = SPANS.into_iter().find_map(|(key, per)| Some((keys.take(key)?, per)));
        for left in keys.0 {
            let reason = "one limit is kept, of calls in a time".to_owned();
            let key = format!("rate_limit.{}", left.key);
            let pointer = format!("/rate_limit/{}", escaped(&left.key));
            self.findings.warn(About::Other, fault(pointer, format!("it is not used: {reason}")));
            self.unmapped.push((key, reason));
        }
        let Some((calls, per)) = found else { return };
        let per = made("per", Content::Number(per.into()), (calls.line, calls.column));
        let limit = Content::Map(vec![renamed(calls, "calls"), per]);
        self.definition.push(made("rate_limit", limit, place));
    }

    /// Says what has no place in a definition.
    fn leave(&mut self, keys: Keys) {
        for Entry { key, .. } in keys.0 {
            if let Some((_, reason)) = SILENT.iter().find(|(silent, _)| *silent == key) {
                self.unmapped.push((key, (*reason).to_owned()));
                continue;
            }
            let near = suggestion(&key, repair::TOP);
            let near = near.map(|near| format!(". {near}")).unwrap_or_default();
            let message = format!("nothing is known of `{key}`: it is not used{near}");
            let pointer = format!("/{}", escaped(&key));
            self.findings.warn(About::Other, Fault { spot: Spot::Key, ..fault(pointer, message) });
            self.unmapped.push((key, "nothing is known of it".to_owned()));
        }
    }
}

/// Calls what an example gives `input` and what it returns `output`.
fn examples(examples: Node) -> Node {
    let Content::List(items) = examples.value else { return examples };
    let rename = |mut item: Node| {
        if let Content::Map(entries) = &mut item.value {
            for entry in entries {
                match entry.key.as_str() {
                    "parameters" => "input".clone_into(&mut entry.key),
                    "result" | "returns" => "output".clone_into(&mut entry.key),
                    _ => {}
                }
            }
        }
        item
    };
    Node { value: Content::List(items.into_iter().map(rename).collect()), ..examples }
}
