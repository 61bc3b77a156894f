//! How many tools a caller sees, counted once for each state of the registry.

use std::sync::Arc;

use toolsmith_core::{BackendRuntime, Rights};
use toolsmith_engine::registry::{Filter, Registry};

use crate::by_sight::BySight;

/// The kinds of place that a tool runs in, in the order in which they are shown.
pub(crate) const RUNTIMES: [BackendRuntime; 4] = [
    BackendRuntime::Embedded,
    BackendRuntime::Local,
    BackendRuntime::Docker,
    BackendRuntime::Remote,
];

/// Counts of tools, good for as long as the registry stays as it is.
#[derive(Debug, Default)]
pub(crate) struct Counts(BySight<Arc<Count>>);

/// How many tools somebody sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// All of them.
    pub(crate) total: usize,
    /// Those that can be called.
    pub(crate) active: usize,
    /// Those of each of [`RUNTIMES`].
    pub(crate) by_runtime: [usize; RUNTIMES.len()],
}

impl Counts {
    /// Returns how many tools these rights show.
    pub(crate) fn of(&self, registry: &Registry, rights: &Rights) -> Arc<Count> {
        self.0.of(registry, rights, |registry, rights| Arc::new(Count::of(registry, rights)))
    }
}

impl Count {
    fn of(registry: &Registry, rights: &Rights) -> Self {
        let mut count = Self::default();
        for tool in registry.find(&Filter::visible_to(rights)) {
            count.total += 1;
            count.active += usize::from(tool.spec.enabled);
            let place = RUNTIMES.iter().position(|place| *place == tool.spec.backend_runtime);
            if let Some(slot) = place.and_then(|place| count.by_runtime.get_mut(place)) {
                *slot += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use toolsmith_core::{AllowList, Tool, ToolSpec, json};
    use toolsmith_engine::Engine;

    use super::*;
    use crate::by_sight::MOST_RIGHTS;

    fn tool(name: &str) -> Tool {
        Tool::function(ToolSpec::new(name).unwrap(), |_, _| async { Ok(json!(null)) })
    }

    #[test]
    fn a_change_of_the_tools_is_counted_at_once() {
        let engine = Engine::builder().tool(tool("a")).build().unwrap();
        let (counts, rights) = (Counts::default(), Rights::default());
        let total = || counts.of(engine.registry(), &rights).total;
        assert_eq!((total(), total()), (1, 1));
        engine.register(tool("b")).unwrap();
        assert_eq!(total(), 2);
    }

    #[test]
    fn rights_are_counted_apart_and_not_without_end() {
        let engine = Engine::builder().tools([tool("a"), tool("b")]).build().unwrap();
        let counts = Counts::default();
        for number in 0..3 * MOST_RIGHTS {
            let tools = Some(AllowList::new(["a".to_owned(), format!("x{number}")]));
            let rights = Rights { tools, ..Rights::default() };
            assert_eq!(counts.of(engine.registry(), &rights).total, 1);
        }
        assert_eq!(counts.of(engine.registry(), &Rights::default()).total, 2);
        assert!(counts.0.len() <= MOST_RIGHTS);
    }
}
