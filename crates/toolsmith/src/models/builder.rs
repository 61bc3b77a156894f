//! Which tools a model is shown, and how.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use toolsmith_builtins::catalogue::{call_tool, search_tools};
use toolsmith_dialects::{Dialect, RenderSettings, Settings, Shape, Tools, render_tools};
use toolsmith_engine::registry::{Entry, Filter};

use super::Toolset;
use crate::{
    AllowList, Context, Engine, ErrorKind, Exposure, Rights, ToolError, ToolRef, ToolSpec,
};

/// How many tools are shown at most: what the strictest of the large providers takes.
const MOST: usize = 128;

/// Chooses what a model is shown, and on whose behalf it calls.
#[derive(Clone, Debug)]
#[must_use]
pub struct ToolsetBuilder {
    engine: Engine,
    dialect: Dialect,
    context: Context,
    names: Option<Vec<String>>,
    most: usize,
    showing: RenderSettings,
    reading: Settings,
}

/// The tools to show, and what the caller asked for under the name of each.
#[derive(Default)]
struct Chosen {
    entries: Vec<Arc<Entry>>,
    versions: HashMap<String, String>,
}

impl ToolsetBuilder {
    pub(super) fn new(engine: &Engine, dialect: Dialect) -> Self {
        Self {
            engine: engine.clone(),
            dialect,
            context: Context::default(),
            names: None,
            most: MOST,
            showing: RenderSettings::default(),
            reading: Settings::default(),
        }
    }

    /// Calls on behalf of someone: what they may not see is not shown.
    pub fn with_context(mut self, context: Context) -> Self {
        self.context = context;
        self
    }

    /// Shows these tools alone, in this order; the model can call no other.
    pub fn only<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.names = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Shows at most so many tools; of more than that, the pair that finds and calls them.
    pub fn with_most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Says how tools are shown.
    pub fn with_render_settings(mut self, settings: RenderSettings) -> Self {
        self.showing = settings;
        self
    }

    /// Says how replies are read.
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.reading = settings;
        self
    }

    /// Makes the set, or says which tool there is not.
    pub fn build(mut self) -> Result<Toolset, ToolError> {
        let chosen = match self.names.take() {
            Some(names) => self.named(&names)?,
            None => Chosen { entries: self.shown(), versions: HashMap::new() },
        };
        Ok(self.finish(&chosen))
    }

    /// Makes the set of the tools that are shown to everyone.
    pub(super) fn build_shown(self) -> Toolset {
        let chosen = Chosen { entries: self.shown(), versions: HashMap::new() };
        self.finish(&chosen)
    }

    fn finish(self, chosen: &Chosen) -> Toolset {
        let specs: Vec<&ToolSpec> = chosen.entries.iter().map(|entry| &entry.spec).collect();
        let mut rendering = render_tools(self.dialect, &specs, &self.showing);
        // Values of variables may stand in descriptions and defaults.
        self.engine.redactor().value(&mut rendering.content);
        Toolset {
            tools: reading(&self.engine, &self.context.rights).shown_as(&rendering),
            engine: self.engine,
            dialect: self.dialect,
            context: self.context,
            settings: self.reading,
            names: chosen.entries.iter().map(|entry| entry.spec.name.clone()).collect(),
            versions: chosen.versions.clone(),
            rendering,
        }
    }

    /// Finds the named tools, and lets the caller use no others.
    fn named(&mut self, names: &[String]) -> Result<Chosen, ToolError> {
        let mut chosen = Chosen::default();
        for name in names {
            let found = self.visible(name).filter(|entry| entry.spec.enabled);
            let Some(entry) = found else { return Err(self.unknown(name)) };
            let tool = entry.spec.name.to_string();
            match chosen.versions.get(&tool) {
                None => {
                    chosen.versions.insert(tool, name.clone());
                    chosen.entries.push(entry);
                }
                Some(before) if before == name => {}
                Some(before) => {
                    return Err(ToolError::validation(format!(
                        "A tool is shown in one version; `{before}` and `{name}` are two."
                    )));
                }
            }
        }
        let names = chosen.entries.iter().map(|entry| entry.spec.name.text().clone());
        self.context.rights.tools = Some(AllowList::new(names));
        Ok(chosen)
    }

    /// Returns the tools that are shown directly; the pair, when there are others or too many.
    fn shown(&self) -> Vec<Arc<Entry>> {
        let registry = self.engine.registry();
        let of = |exposure| Filter {
            exposure: Some(exposure),
            enabled: Some(true),
            ..Filter::visible_to(&self.context.rights)
        };
        let mut shown = registry.find(&of(Exposure::Direct));
        let is_too_much = shown.len() > self.most;
        if !is_too_much && registry.page(&of(Exposure::Deferred), None, 1).is_empty() {
            return shown;
        }
        let pair = [search_tools::NAME, call_tool::NAME];
        let pair = pair.iter().filter_map(|name| self.visible(name));
        let pair: Vec<_> = pair.filter(|entry| entry.spec.enabled).collect();
        // One of the two alone finds nothing or calls nothing; then all tools are better than none.
        if pair.len() == 2 {
            if is_too_much {
                shown.clear();
            }
            shown.extend(pair);
        }
        shown
    }

    fn visible(&self, name: &str) -> Option<Arc<Entry>> {
        self.engine.registry().visible(name, &self.context.rights)
    }

    fn unknown(&self, name: &str) -> ToolError {
        let (plain, _) = ToolRef::split(name);
        let versions = self.engine.registry().versions(plain);
        if plain != name && !versions.is_empty() && self.context.rights.allows(plain) {
            let versions: Vec<String> =
                versions.iter().map(|entry| entry.spec.version.to_string()).collect();
            let message =
                format!("`{plain}` has no such version; there are: {}.", versions.join(", "));
            return ToolError::new(ErrorKind::ToolNotFound, message);
        }
        let shown = self.shown();
        let names = shown.iter().map(|entry| entry.spec.name.as_str());
        let hint = crate::suggestion(name, names)
            .unwrap_or_else(|| "List the tools to see what there is.".to_owned());
        let shown: String = name.chars().take(80).collect();
        ToolError::new(ErrorKind::ToolNotFound, format!("There is no tool `{shown}`. {hint}"))
    }
}

/// The parameters of a tool, and the entry that they were read from.
type Known = (Arc<Entry>, Arc<Shape>);

/// Lets replies be read by the schemas of all tools that the caller may see, shown or not.
fn reading(engine: &Engine, rights: &Rights) -> Tools {
    let (engine, rights) = (engine.clone(), rights.clone());
    let shapes: Mutex<HashMap<String, Known>> = Mutex::default();
    Tools::from_lookup(move |name| {
        let entry = engine.registry().visible(name, &rights)?;
        let mut shapes = shapes.lock();
        match shapes.get(name) {
            // A tool that was replaced meanwhile has another entry.
            Some((known, shape)) if Arc::ptr_eq(known, &entry) => Some(Arc::clone(shape)),
            _ => {
                let shape = Arc::new(Shape::of_schema(&entry.spec.input_schema.to_value()));
                shapes.insert(name.to_owned(), (entry, Arc::clone(&shape)));
                Some(shape)
            }
        }
    })
}
