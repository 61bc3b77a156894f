//! What depends on the tools that somebody sees, made once for each state of the registry.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use parking_lot::Mutex;
use toolsmith_core::{AllowList, Exposure, Rights, Text};
use toolsmith_engine::registry::{Filter, Registry};

/// How many sets of rights are remembered: more than that take turns.
pub(crate) const MOST_RIGHTS: usize = 64;

/// What decides which tools somebody sees.
type Sight = (Option<AllowList>, Option<Text>);

/// Values of one kind for each set of rights, good for as long as the registry stays as it is.
#[derive(Debug)]
pub(crate) struct BySight<T>(Mutex<Known<T>>);

#[derive(Debug)]
struct Known<T> {
    generation: u64,
    values: Vec<(Sight, T)>,
}

impl<T> Default for BySight<T> {
    fn default() -> Self {
        Self(Mutex::new(Known { generation: 0, values: Vec::new() }))
    }
}

impl<T: Clone> BySight<T> {
    /// Returns the value for these rights, made when it is not known yet.
    pub(crate) fn of(
        &self,
        registry: &Registry,
        rights: &Rights,
        make: fn(&Registry, &Rights) -> T,
    ) -> T {
        // Read before the tools: a change in between makes the value old, never the number.
        let generation = registry.generation();
        let sight = (rights.tools.clone(), rights.namespace.clone());
        if let Some(value) = self.known(generation, &sight) {
            return value;
        }
        let value = make(registry, rights);
        let mut known = self.0.lock();
        if known.generation == generation {
            if known.values.len() >= MOST_RIGHTS {
                known.values.remove(0);
            }
            known.values.push((sight, value.clone()));
        }
        value
    }

    fn known(&self, generation: u64, sight: &Sight) -> Option<T> {
        let mut known = self.0.lock();
        if known.generation < generation {
            *known = Known { generation, values: Vec::new() };
        }
        let is_current = known.generation == generation;
        let found = known.values.iter().find(|(other, _)| is_current && other == sight);
        found.map(|(_, value)| value.clone())
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().values.len()
    }
}

/// Returns a mark of what a client with these rights is shown; another one when that changes.
pub(crate) fn mark(registry: &Registry, rights: &Rights) -> u64 {
    let mut hasher = DefaultHasher::new();
    let filter = Filter { enabled: Some(true), ..Filter::visible_to(rights) };
    for entry in registry.find(&filter) {
        let spec = &entry.spec;
        if spec.exposure == Exposure::Hidden {
            continue;
        }
        (spec.name.as_str(), spec.title.as_deref(), &*spec.description).hash(&mut hasher);
        spec.input_schema.as_str().hash(&mut hasher);
        spec.output_schema.as_ref().map(toolsmith_core::JsonText::as_str).hash(&mut hasher);
        (spec.exposure as u8, format!("{:?}", spec.annotations)).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{Tool, ToolSpec, json};
    use toolsmith_engine::Engine;

    use super::*;

    fn tool(name: &str) -> Tool {
        Tool::function(ToolSpec::new(name).unwrap(), |_, _| async { Ok(json!(null)) })
    }

    #[test]
    fn a_mark_changes_with_what_is_seen_and_with_nothing_else() {
        let engine = Engine::builder().tool(tool("a_file")).build().unwrap();
        let tools = Some(AllowList::new(["*_file"]));
        let (marks, rights) = (BySight::default(), Rights { tools, ..Rights::default() });
        let now = || marks.of(engine.registry(), &rights, mark);
        let first = now();
        engine.register(tool("b")).unwrap();
        assert_eq!(now(), first);
        engine.register(tool("c_file")).unwrap();
        let second = now();
        assert_ne!(second, first);
        engine.registry().unregister("c_file");
        assert_eq!(now(), first);
    }
}
