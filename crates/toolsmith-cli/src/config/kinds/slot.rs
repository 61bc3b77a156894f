//! A field of the settings, bound to its kind.

use serde_json::Value;

use super::{Fault, Kind, Shape};
use crate::config::{Environment, Template, yaml::Node};

/// A field of the settings together with its kind.
pub(in crate::config) trait Slot {
    fn read(&mut self, node: &Node, environment: &Environment) -> Result<(), Vec<Fault>>;
    fn show(&self) -> Value;
    fn expects(&self) -> String;
    fn shape(&self) -> Shape;
    fn templates(&self) -> Vec<Template>;
}

/// Binds a kind to the field that it fills.
pub(in crate::config) fn bind<'a, K: Kind + 'a>(
    kind: K,
    field: &'a mut K::Output,
) -> Box<dyn Slot + 'a> {
    Box::new(Bound { kind, field })
}

struct Bound<'a, K: Kind> {
    kind: K,
    field: &'a mut K::Output,
}

impl<K: Kind> Slot for Bound<'_, K> {
    fn read(&mut self, node: &Node, environment: &Environment) -> Result<(), Vec<Fault>> {
        *self.field = self.kind.read(node, environment)?;
        Ok(())
    }

    fn show(&self) -> Value {
        self.kind.show(self.field)
    }

    fn expects(&self) -> String {
        self.kind.expects()
    }

    fn shape(&self) -> Shape {
        self.kind.shape()
    }

    fn templates(&self) -> Vec<Template> {
        self.kind.templates(self.field)
    }
}
