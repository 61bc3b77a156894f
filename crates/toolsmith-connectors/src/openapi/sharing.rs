//! Which schemas of a tool stand under `$defs`: those used more than once, and recursive ones.

use std::collections::HashMap;

use toolsmith_core::{Map, Value};

/// How deep a schema may nest when another is put into it; readers of definitions stop at 64.
const DEEPEST: usize = 40;

/// A schema this small is written out wherever it is used.
const SMALL: usize = 120;

/// Puts schemas that are used once, or are small, to where they are used.
pub(super) fn unite(schema: Value, defs: Map<String, Value>) -> Value {
    let mut uses: HashMap<String, usize> = HashMap::new();
    count(&schema, &mut uses);
    defs.values().for_each(|def| count(def, &mut uses));
    let small: HashMap<String, Value> = defs
        .iter()
        .filter(|(_, def)| is_small(def))
        .map(|(name, def)| (name.clone(), def.clone()))
        .collect();
    let mut sharing = Sharing { uses, small, single: defs.into_iter().collect(), kept: Vec::new() };
    let shared: Vec<String> =
        sharing.single.keys().filter(|name| !sharing.is_single(name)).cloned().collect();
    let mut shared: Vec<(String, Value)> = shared
        .into_iter()
        .filter_map(|name| sharing.single.remove(&name).map(|def| (name, def)))
        .filter(|(name, _)| !sharing.small.contains_key(name))
        .collect();
    let mut schema = schema;
    sharing.fill(&mut schema, 0);
    for (_, def) in &mut shared {
        sharing.fill(def, 2);
    }
    // What would nest too deep stays a reference, and what it holds is filled in its turn.
    while let Some(name) = sharing.kept.pop() {
        if let Some(mut def) = sharing.single.remove(&name) {
            sharing.fill(&mut def, 2);
            shared.push((name, def));
        }
    }
    shared.sort_by(|(one, _), (other, _)| one.cmp(other));
    if let (Value::Object(words), false) = (&mut schema, shared.is_empty()) {
        words.insert("$defs".to_owned(), Value::Object(shared.into_iter().collect()));
    }
    schema
}

struct Sharing {
    uses: HashMap<String, usize>,
    small: HashMap<String, Value>,
    single: HashMap<String, Value>,
    kept: Vec<String>,
}

impl Sharing {
    fn is_single(&self, name: &str) -> bool {
        self.uses.get(name).copied().unwrap_or_default() <= 1
    }

    fn fill(&mut self, value: &mut Value, depth: usize) {
        // One definition may be nothing but a reference to another.
        while let Some(name) = target(value).map(str::to_owned) {
            let found = match self.small.get(&name) {
                Some(def) => Some(def.clone()),
                None => match self.single.get(&name) {
                    Some(def) if depth + depth_of(def) > DEEPEST => {
                        self.kept.push(name);
                        None
                    }
                    _ => self.single.remove(&name),
                },
            };
            let Some(found) = found else { return };
            put(value, found);
        }
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill(item, depth + 1)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.fill(field, depth + 1));
            }
            _ => {}
        }
    }
}

/// Replaces a reference; what is said beside it is said of this place and stays.
fn put(value: &mut Value, found: Value) {
    let Value::Object(beside) = std::mem::take(value) else { return };
    *value = match found {
        Value::Object(mut words) => {
            words.extend(beside.into_iter().filter(|(word, _)| word != "$ref"));
            Value::Object(words)
        }
        other => other,
    };
}

/// Returns the definition that a schema refers to.
fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

fn count(value: &Value, uses: &mut HashMap<String, usize>) {
    if let Some(name) = target(value) {
        *uses.entry(name.to_owned()).or_default() += 1;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| count(item, uses)),
        Value::Object(fields) => fields.values().for_each(|field| count(field, uses)),
        _ => {}
    }
}

fn is_small(def: &Value) -> bool {
    let text = def.to_string();
    text.len() <= SMALL && !text.contains("\"$ref\"")
}

fn depth_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth_of).max().unwrap_or(0),
        _ => 0,
    }
}
