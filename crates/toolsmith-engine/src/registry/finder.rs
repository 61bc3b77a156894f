//! Free-text search over the registered tools, kept up to date tool by tool.

use std::{collections::HashMap, fmt, sync::Arc};

use arc_swap::ArcSwap;
use foldhash::quality::RandomState;
use parking_lot::RwLock;
use toolsmith_core::{Exposure, Text, ToolSpec, Value};

use super::{Entry, Filter, family::Family, snapshot::Snapshot};
use crate::search::{Document, Index};

/// A tool that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The tool, in its default version.
    pub tool: Arc<Entry>,
    /// How well it fits; good for comparing hits of one search only.
    pub score: f32,
}

/// Finds tools by free text.
///
/// The index is made by the first search: most programs never search, and 100,000 tools should
/// not pay for those that do.
#[derive(Default)]
pub(super) struct Finder(RwLock<Option<Known>>);

/// The tools in the index, each under a number that stays while it is there.
#[derive(Default)]
struct Known {
    index: Index,
    numbers: HashMap<Text, u32, RandomState>,
    /// By number; a tool that went away leaves its place to another.
    names: Vec<Text>,
    free: Vec<u32>,
}

impl Finder {
    /// Returns the tools that answer a question best, the best first.
    ///
    /// The tools that are registered at this moment count, whatever the index holds.
    pub(super) fn search(
        &self,
        current: &ArcSwap<Snapshot>,
        (text, filter): (&str, &Filter),
        limit: usize,
    ) -> Vec<Hit> {
        if self.0.read().is_none() {
            // Loaded under the lock: whoever changes the tools after that finds the index made.
            self.0.write().get_or_insert_with(|| Known::of(&current.load()));
        }
        let snapshot = current.load();
        let known = self.0.read();
        let Some(known) = &*known else { return Vec::new() };
        let tool = |number: u32| {
            let name = known.names.get(usize::try_from(number).ok()?)?;
            snapshot.get(name)?.default_version().filter(|entry| is_shown(entry, filter))
        };
        let found = known.index.search(text, limit, |number| tool(number).is_some());
        let hits = found
            .iter()
            .filter_map(|hit| Some(Hit { tool: Arc::clone(tool(hit.id)?), score: hit.score }));
        let mut hits: Vec<Hit> = hits.collect();
        // Names that differ in case or separators only fit a question alike; the one that is
        // written so comes first.
        let name = text.trim();
        hits.sort_by_key(|hit| hit.tool.spec.name.as_str() != name);
        hits
    }

    /// Brings the index to what a snapshot says about some names.
    pub(super) fn update<'a>(
        &self,
        snapshot: &Snapshot,
        names: impl IntoIterator<Item = &'a Text>,
    ) {
        if self.0.read().is_none() {
            return;
        }
        if let Some(known) = &mut *self.0.write() {
            for name in names {
                match snapshot.get(name).and_then(Family::default_version) {
                    Some(entry) => known.put(name, &entry.spec),
                    None => known.remove(name),
                }
            }
        }
    }
}

impl Known {
    fn of(snapshot: &Snapshot) -> Self {
        let mut known = Self::default();
        for (name, entry) in snapshot.named_defaults() {
            known.put(name, &entry.spec);
        }
        known
    }

    fn put(&mut self, name: &Text, spec: &ToolSpec) {
        let Some(number) = self.number_of(name) else { return };
        let schema = spec.input_schema.to_value();
        let texts: Vec<(&str, String)> = parameters(&schema).collect();
        let labels = spec.tags.iter().chain(&spec.groups).map(|label| &**label);
        let document = Document {
            name: spec.name.as_str(),
            title: spec.title.as_deref().unwrap_or_default(),
            tags: labels.chain([spec.category.as_str()]).collect(),
            description: &spec.description,
            parameters: texts.iter().map(|(name, text)| (*name, text.as_str())).collect(),
        };
        self.index.put(number, &document);
    }

    fn remove(&mut self, name: &Text) {
        let Some(number) = self.numbers.remove(name) else { return };
        self.index.remove(number);
        self.free.push(number);
    }

    /// Returns the number of a tool, a new one if it has none.
    fn number_of(&mut self, name: &Text) -> Option<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = match self.free.pop() {
            Some(number) => number,
            None => u32::try_from(self.names.len()).ok()?,
        };
        match self.names.get_mut(usize::try_from(number).ok()?) {
            Some(place) => *place = name.clone(),
            None => self.names.push(name.clone()),
        }
        self.numbers.insert(name.clone(), number);
        Some(number)
    }
}

/// Returns name and text of each parameter; what it may be says what it is for.
fn parameters(schema: &Value) -> impl Iterator<Item = (&str, String)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, schema)| {
        let mut text = schema.get("description").and_then(Value::as_str).unwrap_or("").to_owned();
        let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).for_each(|value| {
            text.push(' ');
            text.push_str(value);
        });
        (name.as_str(), text)
    })
}

/// Hidden tools are never found, and those that cannot be called only when they are asked for.
fn is_shown(entry: &Entry, filter: &Filter) -> bool {
    entry.spec.exposure != Exposure::Hidden
        && (entry.spec.enabled || filter.enabled == Some(false))
        && filter.accepts(entry)
}

impl fmt::Debug for Finder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = self.0.read().as_ref().map_or(0, |known| known.numbers.len());
        write!(f, "Finder({tools} tools)")
    }
}
