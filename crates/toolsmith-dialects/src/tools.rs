//! The tools that a model was shown, as far as reading its calls needs them.

use std::{collections::HashMap, fmt, sync::Arc};

use serde_json::Value;
use toolsmith_core::ToolSpec;

use crate::Shape;

/// Finds the parameters of a tool by its name.
type Lookup = dyn Fn(&str) -> Option<Arc<Shape>> + Send + Sync;

/// The tools that a model was shown; cheap to clone.
#[derive(Clone)]
pub struct Tools(Arc<Lookup>);

impl Tools {
    /// Knows no tool: every value stays the string that the model wrote.
    pub fn none() -> Self {
        Self::from_lookup(|_| None)
    }

    /// Takes the input schemas of tools by name.
    pub fn of_schemas<'a>(schemas: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        let shapes: HashMap<Box<str>, Arc<Shape>> = schemas
            .into_iter()
            .map(|(name, schema)| (name.into(), Arc::new(Shape::of_schema(schema))))
            .collect();
        Self::from_lookup(move |name| shapes.get(name).cloned())
    }

    /// Takes tools as they are registered.
    pub fn of_specs<'a>(specs: impl IntoIterator<Item = &'a ToolSpec>) -> Self {
        let schemas: Vec<_> = specs
            .into_iter()
            .map(|spec| (spec.name.as_str(), spec.input_schema.to_value()))
            .collect();
        Self::of_schemas(schemas.iter().map(|(name, schema)| (*name, schema)))
    }

    /// Asks a function for a tool when a call of it is met; for registries of many tools.
    pub fn from_lookup(
        lookup: impl Fn(&str) -> Option<Arc<Shape>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(lookup))
    }

    /// Returns the parameters of a tool; `None` when there is no such tool.
    pub fn shape(&self, name: &str) -> Option<Arc<Shape>> {
        (self.0)(name)
    }

    /// Tells whether there is such a tool.
    pub fn has(&self, name: &str) -> bool {
        self.shape(name).is_some()
    }
}

impl Default for Tools {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tools")
    }
}
