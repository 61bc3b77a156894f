//! The tools that a model was shown, as far as reading its calls needs them.

use std::{collections::HashMap, fmt, sync::Arc};

use serde_json::Value;
use toolsmith_core::{Text, ToolSpec};

use crate::{Rendering, Shape, guise::Guise};

/// Finds the parameters of a tool by its name.
type Lookup = dyn Fn(&str) -> Option<Arc<Shape>> + Send + Sync;

/// The tools that a model was shown; cheap to clone.
#[derive(Clone)]
pub struct Tools {
    lookup: Arc<Lookup>,
    /// By the names that are shown and by the real ones; `None` where nothing is shown otherwise.
    guises: Option<Arc<Guises>>,
}

/// How tools are shown, by name.
type Guises = HashMap<Text, Arc<Guise>>;

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
        Self { lookup: Arc::new(lookup), guises: None }
    }

    /// Takes the names under which tools and parameters were shown, so that calls get the real ones.
    ///
    /// Also takes note of parameters that a strict definition makes a model fill with null: they are
    /// left out again. Several renderings may be given one after the other.
    ///
    /// ```
    /// use toolsmith_core::ToolSpec;
    /// use toolsmith_dialects::{Dialect, RenderSettings, Settings, Tools, parse, render_tools};
    /// use serde_json::json;
    ///
    /// let spec = ToolSpec::new("file.write")?;
    /// let shown = render_tools(Dialect::Anthropic, &[&spec], &RenderSettings::default());
    /// let name = &shown.content[0]["name"];
    /// assert_ne!(name, "file.write");
    ///
    /// let tools = Tools::of_specs([&spec]).shown_as(&shown);
    /// let text = json!([{"type": "tool_use", "id": "1", "name": name, "input": {}}]).to_string();
    /// let reply = parse(Dialect::Anthropic, &text, &tools, &Settings::default());
    /// assert_eq!(reply.calls[0].name, "file.write");
    /// # Ok::<(), toolsmith_core::ToolError>(())
    /// ```
    #[must_use]
    pub fn shown_as(mut self, rendering: &Rendering) -> Self {
        if rendering.guises.is_empty() {
            return self;
        }
        let mut guises = self.guises.as_deref().cloned().unwrap_or_default();
        for guise in &rendering.guises {
            let guise = Arc::new(guise.clone());
            guises.insert(guise.tool.clone(), Arc::clone(&guise));
            guises.insert(guise.shown.clone(), guise);
        }
        self.guises = Some(Arc::new(guises));
        self
    }

    /// Returns the parameters of a tool; `None` when there is no such tool.
    pub fn shape(&self, name: &str) -> Option<Arc<Shape>> {
        let Some(guise) = self.guise(name) else { return (self.lookup)(name) };
        let shape = (self.lookup)(&guise.tool)?;
        if guise.keys.is_empty() {
            return Some(shape);
        }
        Some(Arc::new(shape.also_named(guise.keys.iter())))
    }

    /// Tells whether there is such a tool.
    pub fn has(&self, name: &str) -> bool {
        (self.lookup)(self.guise(name).map_or(name, |guise| &guise.tool)).is_some()
    }

    /// Returns how a tool is shown, by either of its names, where that differs from what it is.
    pub(crate) fn guise(&self, name: &str) -> Option<&Guise> {
        self.guises.as_ref()?.get(name).map(|guise| &**guise)
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
