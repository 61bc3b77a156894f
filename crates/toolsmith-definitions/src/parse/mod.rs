//! One document → a definition, with everything that is wrong with it.

mod later;
mod output;
mod parameters;
mod policies;
mod rules;
mod sandbox;
mod schema;
pub(crate) mod sources;
mod spec;

use toolsmith_core::{Confinement, Fields, Map, ToolSpec, Value};

use crate::problem::Findings;

/// A definition whose entry has not been made into something that runs.
#[derive(Debug)]
pub(crate) struct Definition {
    /// What the document says; kind and runtime follow from the entry.
    pub(crate) spec: ToolSpec,
    /// The entry, if there is one.
    pub(crate) entry: Option<Value>,
    /// The keys `sources` and `active_source`, if it has them in place of an entry.
    pub(crate) sources: Option<Value>,
    /// The sandbox that it must run in; nothing when it asks for none.
    pub(crate) sandbox: Option<Confinement>,
    keys: Vec<String>,
}

impl Definition {
    /// Tells whether the document says something under one of these keys; `annotations/read_only`
    /// is a key too.
    pub(crate) fn says(&self, keys: &[&str]) -> bool {
        self.keys.iter().any(|key| keys.contains(&key.as_str()))
    }
}

/// Reads a document; nothing when something in it is wrong.
pub(crate) fn definition(document: &Value, findings: &mut Findings) -> Option<Definition> {
    let mut fields = match Fields::of(document, "") {
        Ok(fields) => fields,
        Err(fault) => {
            findings.fault(fault);
            return None;
        }
    };
    let spec = spec::read(&mut fields);
    let entry = fields.any("entry").cloned();
    let sources = sources::read(&mut fields);
    later::read(&mut fields, findings);
    let sandbox = sandbox::read(&mut fields);
    let keys = keys_of(fields.object());
    findings.faults.extend(fields.finish());
    Some(Definition { spec: spec?, entry, sources, sandbox, keys })
}

fn keys_of(map: &Map<String, Value>) -> Vec<String> {
    let said = |(_, value): &(&String, &Value)| !value.is_null();
    let annotations = map.get("annotations").and_then(Value::as_object).into_iter().flatten();
    let annotations = annotations.filter(said).map(|(key, _)| format!("annotations/{key}"));
    map.iter().filter(said).map(|(key, _)| key.clone()).chain(annotations).collect()
}
