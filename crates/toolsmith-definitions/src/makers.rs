//! What definitions are made into tools with: makers by type, and handlers by name.

use std::{collections::BTreeMap, sync::Arc};

use toolsmith_core::{Maker, Tool, ToolName};

/// The makers of each type of entry, and the tools whose code definitions may take over.
///
/// Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Makers(Arc<Shop>);

#[derive(Clone, Debug, Default)]
struct Shop {
    makers: Vec<Arc<dyn Maker>>,
    handlers: BTreeMap<ToolName, Tool>,
}

impl Makers {
    /// Begins with none: definitions load, and their calls answer `executor_not_found`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a maker for the types that it knows; a later one takes the place of an earlier one.
    #[must_use]
    pub fn with(mut self, maker: Arc<dyn Maker>) -> Self {
        Arc::make_mut(&mut self.0).makers.push(maker);
        self
    }

    /// Adds tools whose code `builtin` and `custom` entries may name: the built-in ones.
    #[must_use]
    pub fn with_handlers(mut self, handlers: impl IntoIterator<Item = Tool>) -> Self {
        let shop = Arc::make_mut(&mut self.0);
        shop.handlers.extend(handlers.into_iter().map(|tool| (tool.spec.name.clone(), tool)));
        self
    }

    /// Returns the maker of a type.
    pub(crate) fn maker(&self, word: &str) -> Option<&Arc<dyn Maker>> {
        self.0.makers.iter().rev().find(|maker| maker.types().contains(&word))
    }

    /// Returns the types that have a maker.
    pub(crate) fn types(&self) -> impl Iterator<Item = &'static str> {
        self.0.makers.iter().flat_map(|maker| maker.types().iter().copied())
    }

    /// Returns the tool whose code a name stands for.
    pub(crate) fn handler(&self, name: &str) -> Option<&Tool> {
        self.0.handlers.get(name)
    }

    /// Returns the names of the handlers.
    pub(crate) fn handler_names(&self) -> impl Iterator<Item = &str> {
        self.0.handlers.keys().map(ToolName::as_str)
    }
}
