//! A map with known fields.

use serde_json::Value;

use super::{Fault, Kind, Shape, Slot, mismatch, with_suggestion};
use crate::config::{
    Environment, Template,
    yaml::{Content, Node},
};

/// A field of a record: its name and where it is stored.
pub(in crate::config) struct Field<T> {
    pub(in crate::config) name: &'static str,
    pub(in crate::config) slot: fn(&mut T) -> Box<dyn Slot + '_>,
}

/// A map with known fields, and a last look at the whole.
pub(in crate::config) struct Record<T: 'static> {
    pub(in crate::config) fields: &'static [Field<T>],
    /// Says what is wrong with a record whose fields are right one by one.
    pub(in crate::config) check: fn(&T) -> Option<String>,
}

impl<T: Clone + Default> Kind for Record<T> {
    type Output = T;

    fn read(&self, node: &Node, environment: &Environment) -> Result<T, Vec<Fault>> {
        let Content::Map(entries) = &node.value else { return Err(mismatch(self, node)) };
        let mut record = T::default();
        let mut faults = Vec::new();
        for entry in entries {
            let step = format!(".{}", entry.key);
            if let Some(field) = self.fields.iter().find(|field| field.name == entry.key) {
                let result = (field.slot)(&mut record).read(&entry.value, environment);
                let wrong = result.err().unwrap_or_default();
                faults.extend(wrong.into_iter().map(|fault| fault.under(&step)));
            } else {
                let names = self.fields.iter().map(|field| field.name);
                let message = with_suggestion("unknown key".to_owned(), &entry.key, names);
                let (line, column) = (entry.line, entry.column);
                faults.push(Fault { path: step, line, column, message });
            }
        }
        if faults.is_empty() {
            faults.extend((self.check)(&record).map(|message| Fault::at(node, message)));
        }
        if faults.is_empty() { Ok(record) } else { Err(faults) }
    }

    fn show(&self, value: &T) -> Value {
        // A slot borrows its record mutably, to fill it; showing works on a copy.
        let mut copy = value.clone();
        self.fields
            .iter()
            .map(|field| (field.name.to_owned(), (field.slot)(&mut copy).show()))
            .filter(|(_, value)| !value.is_null())
            .collect()
    }

    fn expects(&self) -> String {
        let names: Vec<String> = self.fields.iter().map(|f| format!("`{}`", f.name)).collect();
        format!("a map with {}", names.join(", "))
    }

    fn shape(&self) -> Shape {
        Shape::Json
    }

    fn templates(&self, value: &T) -> Vec<Template> {
        let mut copy = value.clone();
        self.fields.iter().flat_map(|field| (field.slot)(&mut copy).templates()).collect()
    }
}
