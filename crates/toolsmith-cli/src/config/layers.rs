//! The layers of a configuration: each gives assignments of values to keys.

use std::{io, path::Path};

use toolsmith_children::MARK;

use super::{
    Environment, Problem, Settings, Source,
    keys::{self, PREFIX, ROWS, Row},
    kinds::{Shape, with_suggestion},
    yaml::{self, Content, Entry, Node},
};
use crate::{files, wording::json_mistake};

/// A flag of the command line that sets a key.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The flag as it is written: `--data`.
    pub name: &'static str,
    /// The key that it sets.
    pub key: &'static str,
    /// Its values; a flag that may be repeated has several.
    pub values: Vec<String>,
}

/// A value for a key, and where it stands.
pub(super) struct Assignment {
    pub(super) row: &'static Row,
    pub(super) node: Node,
    pub(super) source: Source,
}

/// What a layer gives: assignments, and what is wrong with it.
#[derive(Default)]
pub(super) struct Layer {
    pub(super) assignments: Vec<Assignment>,
    pub(super) problems: Vec<Problem>,
}

impl Layer {
    fn complain(&mut self, source: Source, key: &str, message: impl Into<String>) {
        self.problems.push(Problem { source, key: key.to_owned(), message: message.into() });
    }
}

/// Reads a configuration file; errors name it as `name`.
pub(super) fn file(path: &Path, name: &Path) -> Layer {
    let mut layer = Layer::default();
    let place = |line, column| Source::File { path: name.to_owned(), line, column };
    let text = match files::read_text(path, yaml::MAX_BYTES) {
        Ok(text) => text,
        // Only a file that a flag names is read without a look whether it is there.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let message = format!("there is no file {}", name.display());
            layer.complain(Source::Flag { name: "--config" }, "", message);
            return layer;
        }
        Err(error) => {
            let message = format!("cannot read the configuration: {}", files::explain(&error));
            layer.complain(place(0, 0), "", message);
            return layer;
        }
    };
    let documents = match yaml::parse(&text) {
        Ok(documents) => documents,
        Err(error) => {
            layer.complain(place(error.line, error.column), "", error.message);
            return layer;
        }
    };
    match documents.as_slice() {
        [] => {}
        [only] => Walk { layer: &mut layer, name }.section(only, ""),
        [_, second, ..] => {
            let message = "expected one document, found a second one; remove the `---`";
            layer.complain(place(second.line, second.column), "", message);
        }
    }
    layer
}

/// A walk through the sections of a file.
struct Walk<'a> {
    layer: &'a mut Layer,
    name: &'a Path,
}

impl Walk<'_> {
    fn place(&self, line: usize, column: usize) -> Source {
        Source::File { path: self.name.to_owned(), line, column }
    }

    fn section(&mut self, node: &Node, section: &str) {
        match &node.value {
            // A section whose keys are all commented out is empty, not wrong.
            Content::Null => {}
            Content::Map(entries) => entries.iter().for_each(|entry| self.entry(entry, section)),
            _ => {
                let message = format!("expected keys with values, found {}", node.describe());
                self.layer.complain(self.place(node.line, node.column), section, message);
            }
        }
    }

    fn entry(&mut self, entry: &Entry, section: &str) {
        let key = joined(section, &entry.key);
        if let Some(row) = keys::find(&key) {
            let source = self.place(entry.line, entry.column);
            self.layer.assignments.push(Assignment { row, node: entry.value.clone(), source });
            return;
        }
        let inside = format!("{key}.");
        if ROWS.iter().any(|row| row.name.starts_with(&inside)) {
            return self.section(&entry.value, &key);
        }
        let message = unknown_key(&entry.key, section);
        self.layer.complain(self.place(entry.line, entry.column), &key, message);
    }
}

fn joined(section: &str, key: &str) -> String {
    if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") }
}

/// Suggests a key of the same section first, then one of any section.
fn unknown_key(key: &str, section: &str) -> String {
    let beginning = joined(section, "");
    let siblings = ROWS.iter().filter_map(|row| {
        row.name.strip_prefix(beginning.as_str()).and_then(|rest| rest.split('.').next())
    });
    let sentence = "unknown key".to_owned();
    let near = with_suggestion(sentence.clone(), key, siblings);
    if near != sentence {
        return near;
    }
    let names = |row: &'static Row| [row.name].into_iter().chain(row.name.rsplit('.').next());
    let near = toolsmith_core::nearest(key, ROWS.iter().flat_map(names));
    let dotted = near.first().and_then(|near| {
        ROWS.iter().find(|row| row.name == *near || row.name.ends_with(&format!(".{near}")))
    });
    match dotted {
        Some(row) => format!("{sentence}. Did you mean `{}`?", row.name),
        None => sentence,
    }
}

/// Reads the variables that begin with `TOOLSMITH_`.
pub(super) fn environment(environment: &Environment) -> Layer {
    let mut layer = Layer::default();
    for (name, value) in environment.beginning_with(PREFIX) {
        // Whoever is started by one of us carries a mark, which sets nothing.
        if name == MARK {
            continue;
        }
        let source = Source::Environment { name: name.to_owned() };
        let Some(row) = ROWS.iter().find(|row| row.variable() == name) else {
            let message = unknown_variable(name);
            layer.complain(source, "", message);
            continue;
        };
        match node_of(row, value) {
            Ok(node) => layer.assignments.push(Assignment { row, node, source }),
            Err(message) => layer.complain(source, row.name, message),
        }
    }
    for name in environment.unreadable().filter(|name| name.starts_with(PREFIX)) {
        let source = Source::Environment { name: name.to_owned() };
        layer.complain(source, "", "its value is not UTF-8 text");
    }
    layer
}

fn unknown_variable(name: &str) -> String {
    let variables: Vec<String> = ROWS.iter().map(Row::variable).collect();
    // All begin alike, which would make any two look near each other.
    let rest = |name: &'_ str| name.strip_prefix(PREFIX).unwrap_or_default().to_owned();
    let rests: Vec<String> = variables.iter().map(|variable| rest(variable)).collect();
    match toolsmith_core::nearest(&rest(name), rests.iter().map(String::as_str)).first() {
        Some(near) => format!("unknown variable. Did you mean `{PREFIX}{near}`?"),
        None => "unknown variable; `toolsmith config show` lists the keys".to_owned(),
    }
}

/// Reads the value of a variable as its key wants it.
fn node_of(row: &Row, value: &str) -> Result<Node, String> {
    let mut settings = Settings::default();
    let slot = (row.slot)(&mut settings);
    let as_json = match slot.shape() {
        Shape::Text => return Ok(Node::text(value)),
        Shape::Scalar => return Ok(yaml::scalar(value)),
        Shape::TextOrJson => value.starts_with('['),
        Shape::Json => true,
    };
    if !as_json {
        return Ok(Node::text(value));
    }
    serde_json::from_str::<serde_json::Value>(value)
        .map_err(|error| json_mistake(&error))
        .and_then(|json| yaml::parse(&json.to_string()).map_err(|error| error.message))
        .and_then(|nodes| nodes.into_iter().next().ok_or_else(|| "it is empty".to_owned()))
        .map_err(|reason| format!("expected {}, written as JSON: {reason}", slot.expects()))
}

/// Reads the flags of the command line.
pub(super) fn flags(flags: &[Flag]) -> Layer {
    let mut layer = Layer::default();
    for flag in flags {
        let source = Source::Flag { name: flag.name };
        let Some(row) = keys::find(flag.key) else { continue };
        let node = match flag.values.as_slice() {
            [] => continue,
            [only] => Node::text(only),
            several => Node::list(several.iter().map(Node::text).collect()),
        };
        layer.assignments.push(Assignment { row, node, source });
    }
    layer
}
