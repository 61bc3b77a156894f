//! Lists, maps, and values that may be absent.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{Fault, Kind, Shape, mismatch};
use crate::config::{
    Environment, Template,
    yaml::{Content, Entry, Node},
};

/// A list of values of one kind.
pub(in crate::config) struct ListOf<K>(pub(in crate::config) K);

impl<K: Kind> Kind for ListOf<K> {
    type Output = Vec<K::Output>;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Self::Output, Vec<Fault>> {
        let Content::List(items) = &node.value else { return Err(mismatch(self, node)) };
        let steps = items.iter().enumerate().map(|(n, item)| (format!("[{n}]"), item));
        gather(steps.map(|(step, item)| under(self.0.read(item, environment), &step)))
    }

    fn show(&self, value: &Self::Output) -> Value {
        value.iter().map(|item| self.0.show(item)).collect()
    }

    fn expects(&self) -> String {
        format!("a list, each item {}", self.0.expects())
    }

    fn shape(&self) -> Shape {
        Shape::Json
    }

    fn templates(&self, value: &Self::Output) -> Vec<Template> {
        value.iter().flat_map(|item| self.0.templates(item)).collect()
    }
}

/// Values whose names differ: a map of them by name, or a list of such that say their name.
pub(in crate::config) struct Named<K: Kind> {
    pub(in crate::config) items: K,
    pub(in crate::config) name: fn(&K::Output) -> &str,
}

impl<K: Kind> Kind for Named<K> {
    type Output = Vec<K::Output>;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Self::Output, Vec<Fault>> {
        let nodes = match &node.value {
            Content::List(nodes) => nodes,
            Content::Map(entries) => {
                return gather(entries.iter().map(|entry| {
                    let read = self.items.read(&with_name(entry), environment);
                    under(read, &format!(".{}", entry.key))
                }));
            }
            _ => return Err(mismatch(self, node)),
        };
        let mut seen = HashSet::new();
        gather(nodes.iter().enumerate().map(|(n, node)| {
            let item = under(self.items.read(node, environment), &format!("[{n}]"))?;
            let name = (self.name)(&item);
            if seen.insert(name.to_owned()) {
                return Ok(item);
            }
            let fault = Fault::at(node, format!("the name `{name}` stands twice"));
            Err(vec![fault.under(&format!("[{n}]"))])
        }))
    }

    fn show(&self, value: &Self::Output) -> Value {
        value.iter().map(|item| self.items.show(item)).collect()
    }

    fn expects(&self) -> String {
        format!("a map or a list, each item {}", self.items.expects())
    }

    fn shape(&self) -> Shape {
        Shape::Json
    }

    fn templates(&self, value: &Self::Output) -> Vec<Template> {
        value.iter().flat_map(|item| self.items.templates(item)).collect()
    }
}

/// Puts the key of an entry into its value, as the name of an item.
fn with_name(entry: &Entry) -> Node {
    let mut node = entry.value.clone();
    if let Content::Map(fields) = &mut node.value
        && !fields.iter().any(|field| field.key == "name")
    {
        let (line, column) = (entry.line, entry.column);
        let value = Node { value: Content::Text(entry.key.clone()), line, column };
        fields.insert(0, Entry { key: "name".to_owned(), line, column, value });
    }
    node
}

/// One value, or a list of several.
pub(in crate::config) struct OneOrMany<K>(pub(in crate::config) K);

impl<K: Kind> Kind for OneOrMany<K> {
    type Output = Vec<K::Output>;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Self::Output, Vec<Fault>> {
        let Content::List(items) = &node.value else {
            return Ok(vec![self.0.read(node, environment)?]);
        };
        let steps = items.iter().enumerate().map(|(n, item)| (format!("[{n}]"), item));
        gather(steps.map(|(step, item)| under(self.0.read(item, environment), &step)))
    }

    fn show(&self, value: &Self::Output) -> Value {
        match value.as_slice() {
            [only] => self.0.show(only),
            several => several.iter().map(|item| self.0.show(item)).collect(),
        }
    }

    fn expects(&self) -> String {
        format!("{}, or a list of such", self.0.expects())
    }

    fn shape(&self) -> Shape {
        Shape::TextOrJson
    }

    fn templates(&self, value: &Self::Output) -> Vec<Template> {
        value.iter().flat_map(|item| self.0.templates(item)).collect()
    }
}

/// A map from words to values of one kind.
pub(in crate::config) struct MapOf<K>(pub(in crate::config) K);

impl<K: Kind> Kind for MapOf<K> {
    type Output = BTreeMap<String, K::Output>;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Self::Output, Vec<Fault>> {
        let Content::Map(entries) = &node.value else { return Err(mismatch(self, node)) };
        let values = entries.iter().map(|entry| {
            let value = under(self.0.read(&entry.value, environment), &format!(".{}", entry.key))?;
            Ok((entry.key.clone(), value))
        });
        gather(values)
    }

    fn show(&self, value: &Self::Output) -> Value {
        value.iter().map(|(key, value)| (key.clone(), self.0.show(value))).collect()
    }

    fn expects(&self) -> String {
        format!("a map, each value {}", self.0.expects())
    }

    fn shape(&self) -> Shape {
        Shape::Json
    }

    fn templates(&self, value: &Self::Output) -> Vec<Template> {
        value.values().flat_map(|value| self.0.templates(value)).collect()
    }
}

/// A value that may be absent.
pub(in crate::config) struct Optional<K>(pub(in crate::config) K);

impl<K: Kind> Kind for Optional<K> {
    type Output = Option<K::Output>;

    fn read(&self, node: &Node, environment: &Environment) -> Result<Self::Output, Vec<Fault>> {
        match node.value {
            Content::Null => Ok(None),
            _ => self.0.read(node, environment).map(Some),
        }
    }

    fn show(&self, value: &Self::Output) -> Value {
        value.as_ref().map_or(Value::Null, |value| self.0.show(value))
    }

    fn expects(&self) -> String {
        self.0.expects()
    }

    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn templates(&self, value: &Self::Output) -> Vec<Template> {
        value.as_ref().map(|value| self.0.templates(value)).unwrap_or_default()
    }
}

fn under<T>(result: Result<T, Vec<Fault>>, step: &str) -> Result<T, Vec<Fault>> {
    result.map_err(|faults| faults.into_iter().map(|fault| fault.under(step)).collect())
}

/// Collects the values, or all the faults of all of them.
fn gather<T, C: Default + Extend<T>>(
    results: impl Iterator<Item = Result<T, Vec<Fault>>>,
) -> Result<C, Vec<Fault>> {
    let mut values = C::default();
    let mut faults = Vec::new();
    for result in results {
        match result {
            Ok(value) => values.extend([value]),
            Err(more) => faults.extend(more),
        }
    }
    if faults.is_empty() { Ok(values) } else { Err(faults) }
}
